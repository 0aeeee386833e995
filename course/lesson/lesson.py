"""Lessons and their parts, as `lessons/<id>/lesson.toml` describes them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

from course.base import paths, schema, shelves
from course.base.errors import UserError
from course.base.i18n import _, about, enumerate_words
from course.base.schema import As, Place, Unfit
from course.lesson.bug import Bug, Edit, without
from course.lesson.loss_curve import LossCurve
from course.lesson.loss_curve import read as read_curve

FORMAT = 1
FILE = "lesson.toml"
HEALTHY = "healthy"
"""The reserved id of a part's last step: the run without bugs."""
RANGE = r"(>=|<=|>|<|==|!=|~=)[\d.]+"
"""One end of a range of versions."""


def _check_ranges(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        if not re.fullmatch(rf"[\w.-]+{RANGE}(,{RANGE})*", text):
            told = schema.not_of_form(text, "name>=version,<version")
            raise Unfit(about("`requires`", told))
    return texts


Requires = Annotated[tuple[str, ...], As(tuple[str, ...], _check_ranges)]
"""Libraries, each with the range of versions that will do."""


@dataclass(frozen=True)
class Step:
    """One run of the walk: which bugs are still in, and which fault is to bite.

    `device` is where the step can be seen; None where it makes no difference. `bug` is what is
    taken out after the step, None where the next step shows the same bug again. `processes` is how
    many `accelerate launch` runs the script in; 0 for a script that is simply run. `question` is
    asked once the run has stopped, before anything is explained; empty for a general one.
    """

    id: str
    fault: str | None
    intro: str
    bugs: tuple[Bug, ...]
    bug: Bug | None
    device: str | None = None
    processes: int = 0
    question: str = ""


@dataclass(frozen=True)
class Look:
    """An inspection: code evaluated in the stopped script, at the steps where it makes sense.

    The value of one that is a `plot` is a list of losses, one for each step of a training. One that
    `changes` what it looks at is not taken where the script is to go on. A `hint` offers the look
    that is marked so before others. `holds` is an expression
    that is true, after the look, of what its caption says: in it `_` is what the look gave and
    `error` what it ended with (empty for none). It is for whoever proves the lesson.

    The `caption` says where to look, and stands above the value; what follows from the value is in
    `shows`, below it.
    """

    steps: frozenset[str]
    code: Annotated[str, As(str, lambda text: text.strip("\n"))]
    caption: str
    shows: str = ""
    plot: bool = False
    changes: bool = False
    hint: bool = False
    holds: str = ""


@dataclass(frozen=True)
class Outcome:
    """What the healthy run must reach, and on which data.

    `metric` at least `margin` above the majority baseline, measured on `eval_examples` examples of
    the split `split` after training on `examples`, both with all `labels` different labels. A run
    on fewer of them has gone round a bug, as has one in fewer `processes`. `curve` is the loss of
    healthy runs, where the part comes with one: a file beside the lesson's. Faults that it
    `tolerates` cost no more than time: with them a run is as healthy.
    """

    metric: str
    margin: float
    labels: int
    examples: int
    eval_examples: int
    split: str = "validation"
    processes: int = 1
    curve: Annotated[LossCurve | None, As(Path, read_curve)] = None
    tolerates: tuple[str, ...] = ()


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


@dataclass(frozen=True, kw_only=True)
class _PartSettings:
    """What a part has as it is written, too."""

    requires: Requires
    outcome: Outcome
    exam: Exam | None = None
    imports: tuple[str, ...] = ()
    outro: str = ""
    video: str | None = None
    mirror: str | None = None


@dataclass(frozen=True, kw_only=True)
class Part(_PartSettings):
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
    bugs: tuple[Bug, ...]
    steps: tuple[Step, ...]
    looks: tuple[Look, ...]
    online: Online
    variants: tuple[Bug, ...] = ()
    documents: tuple[Document, ...] = ()

    @property
    def known(self) -> tuple[Bug, ...]:
        """Return the bugs of the script as it ships, then the variants."""
        return (*self.bugs, *self.variants)

    def text(self, bugs: tuple[Bug, ...]) -> str:
        """Return the script with these bugs in and all others taken out."""
        script = without(self.script, [b for b in self.bugs if b not in bugs])
        for variant in self.variants:
            if variant in bugs:
                script = variant.put_in(script)
        return script

    def expects(self, *, online: bool) -> Outcome:
        """Return the outcome that a healthy run must reach on the real hub, or the embedded one."""
        return self.online.outcome if online else self.outcome

    def bug_of(self, fault: str) -> Bug | None:
        """Return the bug that shows as this fault; None for a fault that is no step of the part."""
        step = next((s for s in self.steps if s.fault == fault), None)
        if step is not None and step.bugs:
            return step.bugs[0]
        return next((v for v in self.variants if v.fault == fault), None)

    def hidden(self, device: str | None) -> tuple[Bug, ...]:
        """Return the bugs that a run on this device can't show: they bite on another one only."""
        shown = {s.bugs[0].fault for s in self.steps if s.bugs and s.device in (None, device)}
        return tuple(bug for bug in self.bugs if bug.fault not in shown)

    def looks_at(self, step: str) -> tuple[Look, ...]:
        """Return the looks of one step, in the order of the file."""
        return tuple(look for look in self.looks if step in look.steps)

    def first_fault(self, bugs: tuple[Bug, ...]) -> str | None:
        """Return the fault that bites first on a CPU while these bugs are in; None without any."""
        for step in self.steps:
            if step.device != "cuda" and step.fault and step.fault in {b.fault for b in bugs}:
                return step.fault
        return next((v.fault for v in self.variants if v in bugs), None)

    def exercises(self) -> Iterator[tuple[Bug, ...]]:
        """Yield the sets of bugs that an exercise can have and that are proved: then each variant.

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
    """A lesson: its texts, and a part for each framework, by the table's name in its file.

    One that `continues` another is walked after it, as the second half of the same lesson; all
    else (an exercise, a notebook, a class) it has of its own.
    """

    id: str
    title: str
    summary: str
    continues: str | None = None
    parts: dict[str, Part] = field(init=False, default_factory=dict)


def folders() -> dict[str, Path]:
    """Return each lesson's folder by its id: those that ship, then each shelf's, by name.

    Raises:
        UserError: two lessons have the same id, or a shelf is not there.

    """
    files = shelves.gather(f"*/{FILE}", lambda file: file.parent.name)
    return {name: file.parent for name, file in files.items()}


def ids() -> list[str]:
    """Return the ids of the lessons, in the order of `folders`.

    Raises:
        UserError: as `folders`.

    """
    return list(folders())


def folder(lesson: str) -> Path:
    """Return the folder of a lesson; if there is none, its place among those that ship.

    Raises:
        UserError: as `folders`.

    """
    return folders().get(lesson, paths.lessons() / lesson)


def framework_option(part: Part) -> str:
    """Return the option, after a space, by which a command takes this part, if not the first."""
    first = next(iter(load(part.lesson).parts))
    return "" if part.framework == first else f" --fw {part.framework}"


def walked(lesson: str, framework: str) -> list[Part]:
    """Return the parts of a walk through a lesson: its own, then those that continue it."""
    found = [load(lesson)]
    found += [other for other in map(load, ids()) if other.continues == lesson]
    return [each.parts[framework] for each in found if framework in each.parts]


def find(name: str) -> Lesson:
    """Find the lesson of this id.

    Raises:
        UserError: there is none; names the nearest.

    """
    known = ids()
    if name not in known:
        raise UserError(schema.suggest_or_list(_("There is no lesson {name}."), name, known))
    return load(name)


def find_part(name: str, framework: str | None) -> Part:
    """Find the part of a lesson in a framework; without one named, its first.

    Raises:
        UserError: the lesson or its framework does not exist.

    """
    parts = find(name).parts
    if framework is None:
        return next(iter(parts.values()))
    if framework not in parts:
        sentence = _("The lesson {lesson} is not available in the framework {name}.")
        sentence = sentence.format(lesson=f"`{name}`", name="{name}")
        raise UserError(schema.suggest_or_list(sentence, framework, parts))
    return parts[framework]


def parts_in(framework: str) -> list[Part]:
    """Return the parts of all lessons in a framework.

    Raises:
        UserError: no lesson comes in it.

    """
    parts = [part for name in ids() for part in load(name).parts.values()]
    found = [part for part in parts if part.framework == framework]
    if not found:
        known = sorted({part.framework for part in parts})
        raise UserError(
            schema.suggest_or_list(_("There is no framework {name}."), framework, known)
        )
    return found


def walked_from(part: Part, step: str | None) -> list[Part]:
    """Return the parts that a walk goes through, from the one with this step; all without one.

    Raises:
        UserError: none has it; names the nearest.

    """
    parts = walked(part.lesson, part.framework)
    if step is None:
        return parts
    check_step(step, parts)
    return next(parts[n:] for n, part in enumerate(parts) if step in [s.id for s in part.steps])


def check_step(step: str | None, parts: Iterable[Part]) -> None:
    """Make sure that one of these parts has a step; no step at all is right.

    Raises:
        UserError: none has it; names the nearest.

    """
    known = [each.id for part in parts for each in part.steps]
    if step is not None and step not in known:
        raise UserError(schema.suggest_or_list(_("There is no step {name}."), step, known))


@dataclass(frozen=True)
class _Step:
    """A step as it is written: it shows the bug of its own id, unless `bug` says otherwise."""

    id: str
    intro: str
    bug: str | None = None
    device: Literal["cpu", "cuda"] | None = None
    processes: int = 0
    question: str = ""


@dataclass(frozen=True)
class _Online:
    """What is different on the real hub as it is written: of the outcome, only that."""

    note: str = ""
    outcome: dict[str, Any] = field(default_factory=dict)
    requires: Requires = ()
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Part(_PartSettings):
    """A part as it is written."""

    script: Path
    step: tuple[_Step, ...]
    bug: tuple[Bug, ...] = ()
    variant: tuple[Bug, ...] = ()
    look: tuple[Look, ...] = ()
    document: tuple[Document, ...] = ()
    online: _Online = _Online()

    def __post_init__(self) -> None:
        if not self.script.is_file():
            named = f"`{schema.shown(self.script)}`"
            raise Unfit(_("There is no file {file}.").format(file=named))
        if self.mirror is not None and self.video is None:
            raise Unfit(_("{name} is missing.").format(name="`video`"))
        if self.mirror is not None and not re.match(r"https://.*\{seconds\}", self.mirror):
            told = schema.not_of_form(self.mirror, "https://...{seconds}")
            raise Unfit(about("`mirror`", told))


def load(lesson: str) -> Lesson:
    """Read one lesson.

    Raises:
        ContentError: the file breaks the format; says where.

    """
    source = folder(lesson) / FILE
    file = Place(source)
    data = schema.load(source, FORMAT)
    # Every table is a part, under the name of its framework.
    tables = {key: data.pop(key) for key, value in list(data.items()) if isinstance(value, dict)}
    found = schema.parse(Lesson, data, file)
    if found.id != source.parent.name:
        sentence = _("The id must be {name}: the name of its file or folder.")
        raise schema.wrong(file, sentence.format(name=f"`{source.parent.name}`"))
    if not tables:
        raise schema.wrong(file, _("it has no part for any framework."))
    for name, table in tables.items():
        found.parts[name] = _part(found.id, name, table, file.at(name))
    return found


def place(part: Part, name: str, number: int) -> Place:
    """Where a part's table of this name stands, the first one with the number 1; for an author."""
    return Place(part.path.parents[1] / FILE).at(part.framework).at(name, number)


def _part(lesson: str, framework: str, table: dict[str, Any], where: Place) -> Part:
    read = schema.parse(_Part, table, where)
    steps = tuple(_steps(read.bug, read.step, where))
    known = [step.id for step in steps]
    for number, look in enumerate(read.look, start=1):
        for step in sorted(look.steps.difference(known)):
            sentence = _("There is no step {name}.").format(name=f"`{step}`")
            raise schema.wrong(where.at("look", number), schema.suggest(sentence, step, known))
    there = {**table["outcome"], **read.online.outcome}
    # The healthy curve is one of the embedded hub.
    there.pop("curve", None)
    outcome = schema.parse(Outcome, there, where.at("online").at("outcome"))
    sample = Bug("online", read.online.edits, read.online.note)
    return Part(
        **{each.name: getattr(read, each.name) for each in fields(_PartSettings)},
        lesson=lesson,
        framework=framework,
        path=read.script,
        script=read.script.read_text("utf-8"),
        bugs=read.bug,
        steps=steps,
        looks=read.look,
        variants=read.variant,
        online=Online(sample, outcome, read.online.requires),
        documents=read.document,
    )


def _of_other_order(where: Place, bugs: tuple[Bug, ...]) -> Exception:
    order = enumerate_words(f"`{name}`" for name in (*(bug.fault for bug in bugs), HEALTHY))
    return schema.wrong(where, _("The steps must be in this order: {steps}.").format(steps=order))


def _steps(bugs: tuple[Bug, ...], entries: tuple[_Step, ...], where: Place) -> Iterator[Step]:
    remaining = list(bugs)
    for number, entry in enumerate(entries, start=1):
        here = where.at("step", number)
        if entry.id == HEALTHY:
            if remaining or number != len(entries):
                raise _of_other_order(here, bugs)
            yield Step(
                *(HEALTHY, None, entry.intro, (), None),
                processes=entry.processes,
                question=entry.question,
            )
            continue
        shown = entry.bug or entry.id
        if not remaining or remaining[0].fault != shown:
            raise _of_other_order(here, bugs)
        now = tuple(remaining)
        # Where the next step shows the same bug again, it is not taken out yet.
        again = any((after.bug or after.id) == shown for after in entries[number : number + 1])
        taken = None if again else remaining.pop(0)
        yield Step(
            *(entry.id, entry.id, entry.intro, now, taken),
            *(entry.device, entry.processes, entry.question),
        )
    if not entries or entries[-1].id != HEALTHY:
        raise _of_other_order(where, bugs)
