"""Every subset of a part's bugs, run live: it must bite with its own fault and no other."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from course.authoring.template import ID, no_id
from course.authoring.translations import Finding, check_shelf
from course.authoring.translations import check as check_texts
from course.base import paths, schema, shelves
from course.base.errors import ContentError
from course.base.i18n import _, about, at_line, enumerate_words
from course.judge.health import shown
from course.judge.verdict import Verdict, describe_problem, judge, should_stop
from course.lesson import aside
from course.lesson import lesson as lessons
from course.lesson.bug import Bug
from course.lesson.catalogue import catalogue
from course.lesson.lesson import HEALTHY, Lesson, Look, Outcome, Part, Step
from course.runs import process
from course.runs.process import Job
from course.runs.record import RunRecord
from course.runs.run_context import RunContext


@dataclass(frozen=True)
class CheckRun:
    """One run of the proof: which bugs are in, and the step whose looks are taken, if any.

    One that is no `subset` is there for its step alone.
    """

    bugs: tuple[Bug, ...]
    step: Step | None
    subset: bool = True


@dataclass(frozen=True)
class Glance:
    """A look of a step as it was taken, and the exception it ended with, if any.

    `holds` is whether what its caption says is so; None where the lesson does not say how to tell.
    """

    number: int
    caption: str
    error: str | None
    holds: bool | None = None


@dataclass(frozen=True)
class CheckResult:
    """One run: the bugs that were in, the fault expected and the one seen (None: healthy).

    `step` is the id of the step whose looks, the `glances`, were taken.
    """

    part: Part
    bugs: tuple[str, ...]
    expected: str | None
    verdict: Verdict
    record: RunRecord
    outcome: Outcome
    step: str | None = None
    glances: tuple[Glance, ...] = ()
    subset: bool = True

    @property
    def problem(self) -> str | None:
        """Why the run did not show what it should have shown, as a key of `PROBLEMS`."""
        return self.verdict.problem

    @property
    def observed(self) -> str | None:
        """The fault that the run showed; None for a healthy or an unknown run."""
        return self.verdict.match.fault.id if self.verdict.match else None

    @property
    def holds(self) -> bool:
        """Whether the run showed what it should have shown, and its looks what they say."""
        return self.problem is None and all(each.holds is not False for each in self.glances)

    @property
    def why(self) -> str:
        """Its problem as a sentence, and which faults it has to do with; empty without one."""
        sentence = describe_problem(self.verdict, self.outcome)
        found = [match.fault.id for match in shown(self.record, self.outcome)]
        if self.problem is None and not self.holds:
            wrong = enumerate_words(str(g.number) for g in self.glances if g.holds is False)
            # Translators: {numbers} are numbers of looks.
            return _(
                "The text before a look does not match its result. Numbers of the looks: {numbers}."
            ).format(numbers=wrong)
        if self.holds or not found:
            return sentence
        return f"{sentence} ({enumerate_words(f'`{fault}`' for fault in found)})"

    def document(self) -> dict[str, Any]:
        """Return the result as the JSON document of `course dev check` has it."""
        raised = self.record.raised
        origin = raised.origin if raised else None
        return {
            "bugs": list(self.bugs),
            "expected": self.expected,
            "observed": self.observed,
            "problem": self.problem,
            "seconds": self.verdict.seconds,
            "holds": self.holds,
            "lesson": self.part.lesson,
            "framework": self.part.framework,
            "why": self.why,
            "exception": raised
            and {
                "type": raised.type,
                "message": raised.message,
                "module": origin.module if origin else None,
            },
            "metrics": dict(self.verdict.metrics),
            "figures": dict(sorted(self.record.figures.items())),
        }

    def step_document(self) -> dict[str, Any]:
        """Return the results of its step and of the step's looks, as data."""
        return {
            "lesson": self.part.lesson,
            "framework": self.part.framework,
            "step": self.step,
            "problem": self.problem,
            "holds": self.holds,
            "looks": [vars(glance) for glance in self.glances],
        }


def texts(lesson: Lesson | None = None) -> list[Finding]:
    """Return the findings on the texts that can be mended here, or on those of a lesson.

    The first are ours and those of the shelves that are named: a package's are its author's. With a
    lesson go its faults.

    Of what ships, nothing is checked where no sources of the texts lie (a wheel).

    Raises:
        ContentError: a lesson or a fault can't be read.

    """
    of_ours = (paths.locales() / "course.pot").exists()
    if lesson is None:
        beside = [f for each in shelves.found() if not each.package for f in check_shelf(each)]
        return [*(check_texts(paths.locales()) if of_ours else ()), *beside]
    shelf = shelves.of(lessons.folder(lesson.id))
    if shelf is not None:
        found, root = check_shelf(shelf), ""
    else:
        found, root = check_texts(paths.locales()) if of_ours else [], "lessons/"
    own = (f"{root}{lesson.id}/", *(f"{root}faults/{name}.toml" for name in _faults(lesson)))
    return [f for f in found if not f.places or any(p.startswith(own) for p in f.places)]


def _faults(lesson: Lesson) -> set[str]:
    steps = {step.fault for part in lesson.parts.values() for step in part.steps if step.fault}
    return steps | {bug.fault for part in lesson.parts.values() for bug in part.known}


def uncatalogued(part: Part) -> dict[str, str]:
    """Return the faults of a part that the catalogue lacks, each with the nearest that it has.

    Raises:
        ContentError: an entry of the catalogue breaks the format.

    """
    steps = [step.fault for step in part.steps if step.fault]
    named = dict.fromkeys([*steps, *(bug.fault for bug in part.known)])
    return {name: schema.nearest(name, catalogue()) for name in named if name not in catalogue()}


def review(lesson: Lesson) -> None:
    """Make sure of all that can be told of a lesson without running anything.

    Raises:
        ContentError: something is not as it should be; says where.

    """
    folder = lessons.folder(lesson.id)
    file = f"`{schema.shown(folder / lessons.FILE)}`"
    if ID.fullmatch(lesson.id) is None:
        raise schema.wrong(file, no_id(lesson.id))
    if lesson.continues is not None and lesson.continues not in lessons.ids():
        sentence = about(
            "`continues`", _("There is no lesson {name}.").format(name=f"`{lesson.continues}`")
        )
        raise schema.wrong(file, schema.suggest(sentence, lesson.continues, lessons.ids()))
    for name, text in (("title", lesson.title), ("summary", lesson.summary)):
        _expect_words(text, name, file)
    for part in lesson.parts.values():
        for number, step in enumerate(part.steps, start=1):
            _expect_words(step.intro, "intro", lessons.place(part, "step", number))
        for number, look in enumerate(part.looks, start=1):
            _review_look(look, lessons.place(part, "look", number))
        reversible(part)
        for bugs in part.exercises():
            _expect_python(part, bugs)
    for number, each in enumerate(aside.load(lesson).asides, start=1):
        _expect_words(each.text, "text", schema.Place(folder / aside.FILE).at("aside", number))


def _expect_words(text: str, key: str, where: schema.Place | str) -> None:
    if not text.strip():
        raise schema.wrong(where, _("{name} is missing.").format(name=f"`{key}`"))


def _review_look(look: Look, where: schema.Place) -> None:
    _expect_words(look.caption, "caption", where)
    try:
        ast.parse(look.code)
    except SyntaxError as error:
        raise schema.wrong(where, about("`code`", _no_python(error))) from error
    try:
        compile(_condition(look), "<holds>", "eval")
    except SyntaxError as error:
        sentence = _("This is not valid Python: {message}.").format(message=error.msg)
        raise schema.wrong(where, about("`holds`", sentence)) from error


def _expect_python(part: Part, bugs: tuple[Bug, ...]) -> None:
    try:
        compile(part.text(bugs), part.path.name, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise schema.wrong(_version(part, bugs), _no_python(error)) from error


def _no_python(why: SyntaxError) -> str:
    return at_line(_("This is not valid Python: {message}.").format(message=why.msg), why.lineno)


def _version(part: Part, bugs: tuple[Bug, ...]) -> str:
    return _("{file} with {bugs}").format(file=f"`{schema.shown(part.path)}`", bugs=_names(bugs))


def _names(bugs: tuple[Bug, ...]) -> str:
    return enumerate_words(f"`{bug.fault}`" for bug in bugs) or _("no bug")


def reversible(part: Part) -> None:
    """Make sure that each subset of the bugs can be taken out and put back to the byte.

    Raises:
        ContentError: one can't; names it.

    """
    for number, bug in enumerate(part.bugs, start=1):
        try:
            bug.take_out(part.script)
        except ContentError as error:
            raise schema.wrong(lessons.place(part, "bug", number), str(error)) from error
    for bugs in part.exercises():
        try:
            script = part.text(bugs)
            for variant in part.variants:
                if variant in bugs:
                    script = variant.take_out(script)
            for bug in reversed([b for b in part.bugs if b not in bugs]):
                script = bug.put_in(script)
        except ContentError as error:
            raise schema.wrong(_version(part, bugs), str(error)) from error
        if script != part.script:
            raise schema.wrong(
                _version(part, bugs), _("putting the bugs back does not give the same script.")
            )


def trials(part: Part, context: RunContext | None = None) -> list[CheckRun]:
    """Return the runs that prove a part: each set of bugs, and each step with its looks.

    The two are one run where they can be. A step that only a CUDA device shows is tried where
    the `context` offers one. Bugs whose faults the catalogue does not know yet are tried alone,
    beside the healthy script: this is how an author finds out what they show.
    """
    new = uncatalogued(part)
    if new:
        alone = [CheckRun((bug,), None) for bug in part.known if bug.fault in new]
        return [*alone, CheckRun((), None)]
    steps = [
        step
        for step in part.steps
        if (context.offers(step.device) if context is not None else step.device != "cuda")
    ]
    on_cpu = {step.bugs: step for step in steps if step.device != "cuda" and not step.processes}
    found = [CheckRun(bugs, on_cpu.get(bugs)) for bugs in part.exercises()]
    taken = [trial.step for trial in found]
    return found + [CheckRun(step.bugs, step, False) for step in steps if step not in taken]


def prove(part: Part, context: RunContext, jobs: int) -> Iterator[CheckResult]:
    """Run every trial of a part, on the CPU unless a step asks for another device, `jobs` at once.

    The results come in the order in which the runs end.

    Raises:
        ContentError: the bugs can't be taken out and put back.

    """
    reversible(part)
    with ThreadPoolExecutor(jobs) as pool:
        wanted = trials(part, context)
        runs = [pool.submit(_prove_one, part, trial, context) for trial in wanted]
        try:
            for done in as_completed(runs):
                yield done.result()
        except BaseException:
            for run in runs:
                run.cancel()
            process.stop_all()
            raise


def _prove_one(part: Part, trial: CheckRun, context: RunContext) -> CheckResult:
    fault = part.first_fault(trial.bugs)
    step = Step(fault or HEALTHY, fault, "", trial.bugs, None)
    if trial.step is not None and not trial.subset:
        fault, step = trial.step.fault, trial.step
    looks = part.looks_at(trial.step.id) if trial.step else ()
    outcome = part.expects(online=context.online)
    job = Job(part.text(trial.bugs), look_codes(looks), processes=step.processes)
    done = context.run(
        job, device=step.device or "cpu", enough=lambda record: should_stop(record, outcome)
    )
    return CheckResult(
        part=part,
        bugs=tuple(b.fault for b in trial.bugs),
        expected=fault,
        verdict=judge(step, outcome, done.record),
        record=done.record,
        outcome=outcome,
        step=trial.step.id if trial.step else None,
        glances=tuple(glances(part, looks, done.record)),
        subset=trial.subset,
    )


def look_codes(looks: Iterable[Look]) -> tuple[str, ...]:
    """Make the codes that a step's proof evaluates: each look, then whether its caption holds."""
    return tuple(code for look in looks for code in (_keeping(look.code), _condition(look)))


def glances(part: Part, looks: Sequence[Look], record: RunRecord) -> Iterator[Glance]:
    """How the looks of a step came out, in a run that evaluated their `look_codes`."""
    seen = {result.index: result for result in record.looks}
    for i, look in enumerate(looks):
        # A look that the run did not live to see has no result.
        taken, told = seen.get(2 * i), seen.get(2 * i + 1)
        error = taken.error if taken else _("no result: the run ended before this look")
        if told is not None and told.error is not None:
            error = error or f"holds: {told.error}"
        yield Glance(
            part.looks.index(look) + 1,
            look.caption,
            error,
            (told is not None and told.output == "True") if look.holds else None,
        )


def _keeping(code: str) -> str:
    """Make the code of a look that keeps its value as `_` and its exception as `error`."""
    look, kept = ast.parse(code), ast.parse(_KEPT)
    body, attempt = look.body, kept.body[1]
    if body and isinstance(body[-1], ast.Expr):
        body[-1] = ast.copy_location(
            ast.Assign([ast.Name("_", ast.Store())], body[-1].value), body[-1]
        )
    assert isinstance(attempt, ast.Try)
    attempt.body = body or attempt.body
    return ast.unparse(ast.fix_missing_locations(kept))


_KEPT = """
_, error = None, ""
try:
    pass
except Exception as _raised:
    error = f"{type(_raised).__name__}: {_raised}"
    raise
_
"""


def _condition(look: Look) -> str:
    return f"bool(\n{look.holds or True}\n)"
