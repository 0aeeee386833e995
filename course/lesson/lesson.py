"""Lessons and their parts, as `lessons/<id>/lesson.toml` describes them."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from course import paths
from course.errors import ContentError
from course.lesson.bug import Bug, Edit, without
from course.run import curve
from course.run.curve import Curve

FORMAT = 1
HEALTHY = "healthy"
"""The reserved id of a part's last step: the run without bugs."""
DEVICES = ("cpu", "cuda")
RANGE = r"(>=|<=|>|<|==|!=|~=)[\d.]+"
"""One end of a range of versions."""


@dataclass(frozen=True)
class Step:
    """One run of the walk: which bugs are still in, and which fault is to bite.

    `device` is where the step can be seen; None where it makes no difference. `bug` is what is
    taken out after the step, None where the next step shows the same bug again. `processes` is how
    many `accelerate launch` runs the script in; 0 for a script that is simply run.
    """

    id: str
    fault: str | None
    intro: str
    bugs: tuple[Bug, ...]
    bug: Bug | None
    device: str | None = None
    processes: int = 0


@dataclass(frozen=True)
class Look:
    """An inspection: code evaluated in the stopped script, at the steps where it makes sense.

    The value of one that is a `plot` is a list of losses, one for each step of a training. One that
    `changes` what it looks at is not taken where the script is to go on.
    """

    steps: frozenset[str]
    code: str
    caption: str
    plot: bool = False
    changes: bool = False


@dataclass(frozen=True)
class Outcome:
    """What the healthy run must reach, and on which data.

    `metric` at least `margin` above the majority baseline, measured on `eval_examples` examples
    after training on `examples`, both with all `labels` different labels. A run on fewer of them
    has gone round a bug. `curve` is the loss of healthy runs, where the part comes with one.
    """

    metric: str
    margin: float
    labels: int
    examples: int
    eval_examples: int
    curve: Curve | None = None


@dataclass(frozen=True)
class Document:
    """What a document of the course reports of the same training, with its own model and data."""

    about: str
    accuracy: float
    f1: float | None = None


@dataclass(frozen=True)
class Online:
    """What is different on the real hub: a sample in place of all the data, as a visible edit.

    `outcome` holds there; `requires` are libraries that only the real hub's own code needs.
    """

    sample: Bug
    outcome: Outcome
    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exam:
    """How submissions of a part are examined.

    `draw` names the data that are drawn anew, whose `texts` are columns that the tokenizer of
    `checkpoint` reads together; `splits` says which of its splits is for training, for evaluation,
    and which nobody sees. The healthy outcome is to be reached after so many `epochs`, `margin`
    above the baseline on the unseen examples.
    """

    draw: str
    checkpoint: str
    texts: tuple[str, ...]
    splits: dict[str, str]
    epochs: float
    margin: float


@dataclass(frozen=True)
class Part:
    """One script of a lesson in one framework, its bugs in the order in which they bite.

    `imports` are modules that a warm runtime imports beforehand: the script's own, and what its
    libraries load only when they are first used; `module:function:argument` also has a table
    built that the library would build, and keep, at its first use.

    `variants` are exercises by themselves: bugs that are put into the healthy script, one alone.
    `outro` is what is said after the last step. `mirror` is the address of another copy of the
    video, with `{video}` and `{seconds}` in it. `documents` are others' figures, to set one's own
    beside.
    """

    lesson: str
    framework: str
    path: Path
    script: str
    video: str | None
    requires: tuple[str, ...]
    imports: tuple[str, ...]
    bugs: tuple[Bug, ...]
    steps: tuple[Step, ...]
    looks: tuple[Look, ...]
    outcome: Outcome
    online: Online
    variants: tuple[Bug, ...] = ()
    outro: str = ""
    mirror: str | None = None
    exam: Exam | None = None
    documents: tuple[Document, ...] = ()

    @property
    def known(self) -> tuple[Bug, ...]:
        """Every bug that an exercise can have."""
        return (*self.bugs, *self.variants)

    def text(self, bugs: tuple[Bug, ...]) -> str:
        """The script with just these bugs in."""
        script = without(self.script, [b for b in self.bugs if b not in bugs])
        for variant in self.variants:
            if variant in bugs:
                script = variant.put_in(script)
        return script

    def expects(self, *, online: bool) -> Outcome:
        """What the healthy run must reach on the real hub, or on the embedded one."""
        return self.online.outcome if online else self.outcome

    def bug_of(self, fault: str) -> Bug | None:
        """The bug that shows as this fault; None for a fault that is no step of the part."""
        step = next((s for s in self.steps if s.fault == fault), None)
        if step is not None and step.bugs:
            return step.bugs[0]
        return next((v for v in self.variants if v.fault == fault), None)

    def hidden(self, device: str | None) -> tuple[Bug, ...]:
        """The bugs that a run on this device can't show: they bite on another one only."""
        shown = {s.bugs[0].fault for s in self.steps if s.bugs and s.device in (None, device)}
        return tuple(bug for bug in self.bugs if bug.fault not in shown)

    def looks_at(self, step: str) -> tuple[Look, ...]:
        """The looks of one step, in the order of the file."""
        return tuple(look for look in self.looks if step in look.steps)

    def first_fault(self, bugs: tuple[Bug, ...]) -> str | None:
        """The fault that bites first on a CPU while these bugs are in; None without any."""
        for step in self.steps:
            if step.device != "cuda" and step.fault and step.fault in {b.fault for b in bugs}:
                return step.fault
        return next((v.fault for v in self.variants if v in bugs), None)

    def exercises(self) -> Iterator[tuple[Bug, ...]]:
        """The sets of bugs that an exercise can have and that are proved: then each variant.

        Up to four bugs these are all their subsets; of more, none, one, each pair, and all.
        """
        sizes = {len(self.bugs), 2, 1, 0}
        many = len(self.bugs) > 4
        yield from (bugs for bugs in self.subsets() if not many or len(bugs) in sizes)
        for variant in self.variants:
            yield (variant,)

    def subsets(self) -> Iterator[tuple[Bug, ...]]:
        """Every subset of the bugs, the whole first and the empty one last."""
        for size in range(len(self.bugs), -1, -1):
            yield from combinations(self.bugs, size)


@dataclass(frozen=True)
class Lesson:
    """A lesson: its texts, and a part for each framework.

    One that `continues` another is walked after it, as the second half of the same lesson; all
    else (an exercise, a notebook, a class) it has of its own.
    """

    id: str
    title: str
    summary: str
    parts: dict[str, Part]
    continues: str | None = None


def ids() -> list[str]:
    """The ids of the lessons that ship, in the order of their names."""
    return sorted(p.parent.name for p in paths.lessons().glob("*/lesson.toml"))


def walked(lesson: str, framework: str) -> list[Part]:
    """The parts that a walk through a lesson goes through: its own, then those that continue it."""
    found = [load(lesson)]
    found += [other for other in map(load, ids()) if other.continues == lesson]
    return [each.parts[framework] for each in found if framework in each.parts]


def load(lesson: str) -> Lesson:
    """Read one lesson.

    Raises:
        ContentError: the file breaks the format; says where.

    """
    source = paths.lessons() / lesson / "lesson.toml"
    try:
        return _lesson(source, tomllib.loads(source.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, OSError, ValueError, KeyError, TypeError) as error:
        raise ContentError(f"{source}: {type(error).__name__}: {error}") from error


def _lesson(source: Path, data: dict[str, Any]) -> Lesson:
    if data["format"] != FORMAT:
        raise ContentError(f"{source}: format {data['format']}, this program reads {FORMAT}")
    if data["id"] != source.parent.name:
        raise ContentError(f"{source}: id {data['id']!r} is not the name of its folder")
    texts = {"format", "id", "title", "summary", "continues"}
    parts = {
        framework: _part(source, data["id"], framework, table)
        for framework, table in data.items()
        if framework not in texts
    }
    return Lesson(data["id"], data["title"], data["summary"], parts, data.get("continues"))


def _part(source: Path, lesson: str, framework: str, table: dict[str, Any]) -> Part:
    where = f"{source}: [{framework}]"
    _only(
        table,
        {"script", "video", "requires", "imports", "outcome", "online", "bug", "step", "look"}
        | {"variant", "outro", "mirror", "exam", "document"},
        where,
    )
    path = source.parent / table["script"]
    bugs = tuple(_bug(b, f"{where} bug") for b in table["bug"])
    steps = tuple(_steps(bugs, table["step"], where))
    known = {s.id for s in steps}
    looks = []
    for entry in table.get("look", []):
        _only(entry, {"steps", "code", "caption", "plot", "changes"}, f"{where} look")
        flags = {name: bool(entry.get(name, False)) for name in ("plot", "changes")}
        look = Look(frozenset(entry["steps"]), entry["code"].strip("\n"), entry["caption"], **flags)
        if look.steps - known:
            raise ContentError(f"{where} look: no step {sorted(look.steps - known)}")
        looks.append(look)
    return Part(
        lesson=lesson,
        framework=framework,
        path=path,
        script=path.read_text("utf-8"),
        video=table.get("video"),
        requires=_requires(table["requires"], where),
        imports=tuple(table.get("imports", ())),
        bugs=bugs,
        steps=steps,
        looks=tuple(looks),
        outcome=_outcome(source, table["outcome"]),
        outro=table.get("outro", ""),
        mirror=_mirror(table, where),
        exam=_exam(table.get("exam")),
        variants=tuple(_bug(v, f"{where} variant") for v in table.get("variant", [])),
        online=_online(table, f"{where} online"),
        documents=tuple(Document(**d) for d in table.get("document", [])),
    )


def _exam(table: dict[str, Any] | None) -> Exam | None:
    return Exam(**{**table, "texts": tuple(table["texts"])}) if table is not None else None


def _mirror(table: dict[str, Any], where: str) -> str | None:
    """Where else the video can be watched, from any of its seconds."""
    mirror: str | None = table.get("mirror")
    if mirror is None:
        return None
    wanted = "video" in table and re.match(r"https://.*\{seconds\}", str(mirror))
    if not wanted:
        raise ContentError(
            f"{where} mirror: it goes with a video, begins with https:// and has {{seconds}} in it"
        )
    return mirror


def _requires(texts: Iterable[str], where: str) -> tuple[str, ...]:
    """Libraries, each with the range of versions that will do."""
    for text in texts:
        if not re.fullmatch(rf"[\w.-]+{RANGE}(,{RANGE})*", text):
            raise ContentError(f"{where}: {text!r} is not of the form name>=version,<version")
    return tuple(texts)


def _outcome(source: Path, table: dict[str, Any]) -> Outcome:
    """An outcome; its curve is a file beside the lesson's."""
    healthy = curve.read(source.parent / table["curve"]) if "curve" in table else None
    return Outcome(**{**table, "curve": healthy})


def _online(table: dict[str, Any], where: str) -> Online:
    entry = {"note": "", "outcome": {}, "edits": [], **table.get("online", {})}
    _only(entry, {"note", "outcome", "requires", "edits"}, where)
    edits = tuple(Edit(**e) for e in entry["edits"])
    # The healthy curve is one of the embedded hub.
    outcome = Outcome(**{**table["outcome"], "curve": None, **entry["outcome"]})
    return Online(
        Bug("online", edits, entry["note"]), outcome, _requires(entry.get("requires", ()), where)
    )


def _bug(entry: dict[str, Any], where: str) -> Bug:
    _only(entry, {"fault", "reason", "edits", "hints", "exam"}, where)
    edits = tuple(Edit(**e) for e in entry["edits"])
    hints = tuple(entry.get("hints", ()))
    return Bug(entry["fault"], edits, entry["reason"], hints, entry.get("exam", ""))


def _steps(bugs: tuple[Bug, ...], entries: list[dict[str, Any]], where: str) -> Iterator[Step]:
    """A step names the bug it shows (its own id, unless `bug` says otherwise)."""
    remaining = list(bugs)
    for number, entry in enumerate(entries):
        _only(entry, {"id", "intro", "bug", "device", "processes"}, f"{where} step")
        device, processes = entry.get("device"), int(entry.get("processes", 0))
        if device not in (None, *DEVICES):
            raise ContentError(f"{where} step {entry['id']}: no device {device!r}")
        if entry["id"] == HEALTHY:
            if remaining or number != len(entries) - 1:
                raise ContentError(f"{where}: `{HEALTHY}` must come last, after every bug")
            yield Step(HEALTHY, None, entry["intro"], (), None, processes=processes)
            continue
        shown = entry.get("bug", entry["id"])
        if not remaining or remaining[0].fault != shown:
            raise ContentError(f"{where} step {entry['id']}: its turn is not that of bug {shown!r}")
        following = entries[number + 1] if number + 1 < len(entries) else {}
        again = following.get("bug", following.get("id")) == shown
        now = tuple(remaining)
        taken = None if again else remaining.pop(0)
        yield Step(entry["id"], entry["id"], entry["intro"], now, taken, device, processes)
    if not entries or entries[-1]["id"] != HEALTHY:
        raise ContentError(f"{where}: the last step must be `{HEALTHY}`")


def _only(entry: dict[str, Any], known: set[str], where: str) -> None:
    unknown = set(entry) - known
    if unknown:
        raise ContentError(f"{where}: unknown key {', '.join(sorted(unknown))}")
