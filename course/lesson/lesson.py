"""Lessons and their parts, as `lessons/<id>/lesson.toml` describes them."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from course import content, paths
from course.content import Kind
from course.i18n import _, enumerate_words
from course.lesson import loss_curve
from course.lesson.bug import Bug, Edit, without
from course.lesson.loss_curve import LossCurve

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
    curve: LossCurve | None = None


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
    file = f"`{content.shown(source)}`"
    data = content.read(source)
    if data.get("format") != FORMAT:
        said = _("it is of format {found}, and this program reads {known}.")
        raise content.wrong(file, said.format(found=data.get("format"), known=FORMAT))
    # Every table is a part, under the name of its framework.
    frameworks = [key for key, value in data.items() if isinstance(value, dict)]
    content.check(data, file, _LESSON, {"continues": "text", **dict.fromkeys(frameworks, _TABLE)})
    if data["id"] != source.parent.name:
        said = _("the id {name} is not the name of its folder, {folder}.")
        names = {"name": f"`{data['id']}`", "folder": f"`{source.parent.name}`"}
        raise content.wrong(file, said.format(**names))
    if not frameworks:
        raise content.wrong(file, _("it has no part in any framework."))
    parts = {name: _part(source, data["id"], name, data[name]) for name in frameworks}
    return Lesson(data["id"], data["title"], data["summary"], parts, data.get("continues"))


_TABLE: Kind = "table"
_LESSON: dict[str, Kind] = {"format": "whole", "id": "text", "title": "text", "summary": "text"}
_PART: dict[str, Kind] = {
    "script": "text",
    "requires": "texts",
    "outcome": "table",
    "step": "tables",
}
_PART_TOO: dict[str, Kind] = {
    "bug": "tables",
    "video": "text",
    "mirror": "any",
    "imports": "texts",
    "outro": "text",
    "online": "table",
    "exam": "table",
    "look": "tables",
    "variant": "tables",
    "document": "tables",
}
_BUG: dict[str, Kind] = {"fault": "text", "reason": "text", "edits": "tables"}
_BUG_TOO: dict[str, Kind] = {"hints": "texts", "exam": "text"}
_EDIT: dict[str, Kind] = {"buggy": "text", "healthy": "text"}
_STEP: dict[str, Kind] = {"id": "text", "intro": "text"}
_STEP_TOO: dict[str, Kind] = {"bug": "text", "device": "text", "processes": "whole"}
_LOOK: dict[str, Kind] = {"steps": "texts", "code": "text", "caption": "text"}
_LOOK_TOO: dict[str, Kind] = {"plot": "flag", "changes": "flag"}
_OUTCOME: dict[str, Kind] = {
    "metric": "text",
    "margin": "number",
    "labels": "whole",
    "examples": "whole",
    "eval_examples": "whole",
}
_ONLINE: dict[str, Kind] = {
    "note": "text",
    "outcome": "table",
    "requires": "texts",
    "edits": "tables",
}
_EXAM: dict[str, Kind] = {
    "draw": "text",
    "checkpoint": "text",
    "texts": "texts",
    "splits": "table",
    "epochs": "number",
    "margin": "number",
}


def place(part: Part, name: str, number: int) -> str:
    """Where a part's table of this name stands, the first one with the number 1; for an author."""
    return _place(part.path.parents[1] / "lesson.toml", part.framework, name, number)


def _place(source: Path, framework: str, name: str = "", number: int = 0) -> str:
    table = f"`[[{framework}.{name}]]` {number}" if name else f"`[{framework}]`"
    return f"`{content.shown(source)}`, {table}"


def _part(source: Path, lesson: str, framework: str, table: dict[str, Any]) -> Part:
    at = partial(_place, source, framework)
    where = at()
    content.check(table, where, _PART, _PART_TOO)
    path = source.parent / table["script"]
    if not path.is_file():
        named = f"`{content.shown(path)}`"
        raise content.wrong(where, _("there is no script {file}.").format(file=named))
    bugs, variants = (
        tuple(_bug(bug, at(name, n)) for n, bug in enumerate(table.get(name, []), start=1))
        for name in ("bug", "variant")
    )
    steps = tuple(_steps(bugs, table["step"], at))
    looks = [
        _look(look, {s.id for s in steps}, at("look", number))
        for number, look in enumerate(table.get("look", []), start=1)
    ]
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
        outcome=_outcome(source, table["outcome"], f"{where} `outcome`"),
        outro=table.get("outro", ""),
        mirror=_mirror(table, where),
        exam=_exam(table.get("exam"), f"{where} `exam`"),
        variants=variants,
        online=_online(table, f"{where} `online`"),
        documents=tuple(
            _document(document, at("document", number))
            for number, document in enumerate(table.get("document", []), start=1)
        ),
    )


def _look(entry: dict[str, Any], known: set[str], where: str) -> Look:
    content.check(entry, where, _LOOK, _LOOK_TOO)
    for step in entry["steps"]:
        if step not in known:
            said = _("there is no step {name}.").format(name=f"`{step}`")
            raise content.wrong(where, content.suggest(said, step, known))
    flags = {name: entry.get(name, False) for name in ("plot", "changes")}
    return Look(frozenset(entry["steps"]), entry["code"].strip("\n"), entry["caption"], **flags)


def _document(entry: dict[str, Any], where: str) -> Document:
    kinds: dict[str, Kind] = {"about": "text", "accuracy": "number"}
    return Document(**content.check(entry, where, kinds, {"f1": "number"}))


def _exam(table: dict[str, Any] | None, where: str) -> Exam | None:
    if table is None:
        return None
    content.check(table, where, _EXAM)
    return Exam(**{**table, "texts": tuple(table["texts"])})


def _mirror(table: dict[str, Any], where: str) -> str | None:
    """Where else the video can be watched, from any of its seconds."""
    mirror: str | None = table.get("mirror")
    if mirror is None:
        return None
    wanted = "video" in table and re.match(r"https://.*\{seconds\}", str(mirror))
    if not wanted:
        said = _("`mirror`: it goes with a video, begins with `https://` and has {name} in it.")
        raise content.wrong(where, said.format(name="`{seconds}`"))
    return mirror


def _requires(texts: Iterable[str], where: str) -> tuple[str, ...]:
    """Libraries, each with the range of versions that will do."""
    for text in texts:
        if not re.fullmatch(rf"[\w.-]+{RANGE}(,{RANGE})*", text):
            said = _("`requires`: {text} is not of the form {form}.")
            named = {"text": f"`{text}`", "form": "`name>=version,<version`"}
            raise content.wrong(where, said.format(**named))
    return tuple(texts)


def _outcome(source: Path, table: dict[str, Any], where: str) -> Outcome:
    """An outcome; its curve is a file beside the lesson's."""
    content.check(table, where, _OUTCOME, {"curve": "text"})
    with content.at(f"{where} `curve`"):
        healthy = loss_curve.read(source.parent / table["curve"]) if "curve" in table else None
    return Outcome(**{**table, "curve": healthy})


def _online(table: dict[str, Any], where: str) -> Online:
    entry = content.check(table.get("online", {}), where, {}, _ONLINE)
    changed = content.check(entry.get("outcome", {}), f"{where} `outcome`", {}, _OUTCOME)
    edits = _edits(entry.get("edits", []), where)
    # The healthy curve is one of the embedded hub.
    outcome = Outcome(**{**table["outcome"], "curve": None, **changed})
    requires = _requires(entry.get("requires", ()), where)
    return Online(Bug("online", edits, entry.get("note", "")), outcome, requires)


def _bug(entry: dict[str, Any], where: str) -> Bug:
    content.check(entry, where, _BUG, _BUG_TOO)
    edits = _edits(entry["edits"], where)
    hints = tuple(entry.get("hints", ()))
    return Bug(entry["fault"], edits, entry["reason"], hints, entry.get("exam", ""))


def _edits(entries: list[dict[str, Any]], where: str) -> tuple[Edit, ...]:
    edits = []
    for number, entry in enumerate(entries, start=1):
        here = f"{where} `edits` {number}"
        edit = Edit(**content.check(entry, here, _EDIT))
        if not (edit.buggy and edit.healthy):
            said = _("neither text can be empty: take in a line before or after it, in both.")
            raise content.wrong(here, said)
        edits.append(edit)
    return tuple(edits)


def _steps(
    bugs: tuple[Bug, ...], entries: list[dict[str, Any]], at: Callable[..., str]
) -> Iterator[Step]:
    """A step names the bug it shows (its own id, unless `bug` says otherwise)."""
    remaining = list(bugs)
    for number, entry in enumerate(entries):
        here = at("step", number + 1)
        content.check(entry, here, _STEP, _STEP_TOO)
        device, processes = entry.get("device"), entry.get("processes", 0)
        if device not in (None, *DEVICES):
            said = _("no device {name}: there are {known}.")
            known = enumerate_words(f"`{name}`" for name in DEVICES)
            raise content.wrong(here, said.format(name=repr(device), known=known))
        if entry["id"] == HEALTHY:
            if remaining or number != len(entries) - 1:
                said = _("{step} must come last, after every bug; left: {bugs}.")
                left = enumerate_words(f"`{bug.fault}`" for bug in remaining) or "–"
                raise content.wrong(here, said.format(step=f"`{HEALTHY}`", bugs=left))
            yield Step(HEALTHY, None, entry["intro"], (), None, processes=processes)
            continue
        shown = entry.get("bug", entry["id"])
        if not remaining or remaining[0].fault != shown:
            said = _("its turn is not that of bug {name}; next is {next}.")
            following = remaining[0].fault if remaining else HEALTHY
            raise content.wrong(here, said.format(name=repr(shown), next=f"`{following}`"))
        after = entries[number + 1] if number + 1 < len(entries) else {}
        again = after.get("bug", after.get("id")) == shown
        now = tuple(remaining)
        taken = None if again else remaining.pop(0)
        yield Step(entry["id"], entry["id"], entry["intro"], now, taken, device, processes)
    if not entries or entries[-1]["id"] != HEALTHY:
        said = _("the last step must be {step}.").format(step=f"`{HEALTHY}`")
        raise content.wrong(at(), said)
