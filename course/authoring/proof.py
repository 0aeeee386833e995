"""Every subset of a part's bugs, run live: it must bite with its own fault and no other."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from course import paths
from course.check.verdict import enough, judge
from course.errors import ContentError
from course.i18n.catalogue import Finding
from course.i18n.catalogue import check as check_texts
from course.lesson.bug import Bug
from course.lesson.lesson import Part, Step
from course.run import process
from course.run.place import Place
from course.run.process import Job


@dataclass(frozen=True)
class Result:
    """One subset: the bugs that were in, the fault expected and the one seen (None: healthy)."""

    bugs: tuple[str, ...]
    expected: str | None
    observed: str | None
    problem: str | None
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether the run showed what it should have shown."""
        return self.problem is None

    def document(self) -> dict[str, Any]:
        """The result as data."""
        return {**vars(self), "bugs": list(self.bugs), "holds": self.holds}


def texts() -> list[Finding]:
    """What is wrong with the texts; nothing is checked where no sources of them lie (a wheel)."""
    return check_texts(paths.locales()) if (paths.locales() / "course.pot").exists() else []


def reversible(part: Part) -> None:
    """Make sure that each subset of the bugs can be taken out and put back to the byte.

    Raises:
        ContentError: one can't; names it.

    """
    for bugs in part.exercises():
        script = part.text(bugs)
        for variant in part.variants:
            if variant in bugs:
                script = variant.take_out(script)
        for bug in reversed([b for b in part.bugs if b not in bugs]):
            script = bug.put_in(script)
        if script != part.script:
            names = ", ".join(b.fault for b in bugs)
            raise ContentError(f"{part.path}: not restored to the byte with {names}")


def prove(part: Part, place: Place, jobs: int) -> Iterator[Result]:
    """Run every subset of the bugs, and each variant, on the CPU, `jobs` at a time.

    The results come in the order in which the runs end.

    Raises:
        ContentError: the bugs can't be taken out and put back.

    """
    reversible(part)
    with ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(_prove_one, part, bugs, place) for bugs in part.exercises()]
        try:
            for done in as_completed(runs):
                yield done.result()
        except BaseException:
            for run in runs:
                run.cancel()
            process.stop_all()
            raise


def _prove_one(part: Part, bugs: tuple[Bug, ...], place: Place) -> Result:
    fault = part.first_fault(bugs)
    step = Step(fault or "healthy", fault, "", bugs, None)
    outcome = part.expects(online=place.online)
    done = place.run(Job(part.text(bugs)), enough=lambda record: enough(record, outcome))
    verdict = judge(step, outcome, done.record)
    return Result(
        bugs=tuple(b.fault for b in bugs),
        expected=fault,
        observed=verdict.match.fault.id if verdict.match else None,
        problem=verdict.problem,
        seconds=verdict.seconds,
    )
