"""The run record: what a process said happened while a script ran. Claims, not verdicts.

On disk it is JSON lines, one event a line, written by the probe: `course_probe/events.py` says what
they hold. Here they are read with care, since a script can write such lines too.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from course.base import schema
from course.base.schema import Place
from course.runs import vital_signs
from course.runs.script_output import NOTHING, ScriptOutput
from course.runs.vital_signs import VitalSigns
from course_probe.events import (
    FORMAT,
    EndEvent,
    ErrorInfo,
    RunEvent,
    StartEvent,
)

T = TypeVar("T")

MOST_MEASURED = 8
"""Evaluations of one model whose signs are kept."""
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What comes of reading lines that a script has made up."""

HubKind = Literal["embedded", "online"]
"""The hub of a run: the course's own, or the real one."""
RunStatus = Literal[
    "finished",
    "exception",
    "stopped",
    "died",
    "time-limit",
    "output-limit",
    "interrupted",
    "unreadable",
]


@dataclass(frozen=True)
class Frame:
    """One level of a traceback; code that was made by code has lines without a number."""

    module: str
    file: str
    function: str
    line: int = 0
    text: str = ""
    script: bool = False
    raises: bool = False


Fact = float | str
"""A figure or a word, such as a number type, that was measured when a script failed."""


@dataclass(frozen=True)
class Raised:
    """An exception that ended the script.

    `owner` are the classes of the object whose attribute was missing, `asked` is the repository on
    the hub that a library was looking for, `near` are names that exist and are spelt nearly as one
    that does not, the nearest first; all mostly empty. `state` are facts of the moment, by dotted
    names (`embedding.rows`): what is not there was not measured.

    One that is known `by_words` was read in a text: whatever the words do not say was not measured.
    """

    type: str
    classes: tuple[str, ...]
    message: str
    frames: tuple[Frame, ...] = ()
    owner: tuple[str, ...] = ()
    asked: str = ""
    near: tuple[str, ...] = ()
    state: Mapping[str, Fact] = field(default_factory=dict)
    by_words: bool = False

    @property
    def name(self) -> str:
        """The type as a traceback prints it: without the module for built-in exceptions."""
        return self.type.removeprefix("builtins.")

    @property
    def origin(self) -> Frame | None:
        """Return the frame that raised, the innermost; None where there are no frames."""
        return self.frames[-1] if self.frames else None

    @property
    def own(self) -> Frame | None:
        """Return the innermost frame of the learner's own code; None where there is none."""
        return next((f for f in reversed(self.frames) if f.script), None)

    @property
    def second(self) -> Frame | None:
        """The other frame that decides: the one that raised, or the own one that has called it."""
        own, origin = self.own, self.origin
        if origin is not own:
            return origin
        outer = self.frames[: self.frames.index(own)] if own is not None else ()
        return next((f for f in reversed(outer) if f.script), None)


@dataclass(frozen=True)
class LookResult:
    """What a look printed, or the exception it ended with."""

    index: int
    output: str
    error: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Evaluation:
    """One evaluation: its figures and the labels (as counts) it was measured on."""

    step: int
    values: dict[str, float]
    examples: int
    labels: dict[str, int]

    @property
    def baseline(self) -> float | None:
        """The accuracy of always answering with the most frequent label; None if unknown."""
        total = sum(self.labels.values())
        return max(self.labels.values()) / total if total else None

    @property
    def f1_baseline(self) -> float | None:
        """The F1 score of always answering 1, where the labels are 0 and 1; None elsewhere."""
        share = self.labels.get("1", 0) / max(1, sum(self.labels.values()))
        return 2 * share / (1 + share) if self.labels and set(self.labels) <= {"0", "1"} else None


@dataclass(frozen=True)
class Training:
    """What the training was set up with, and how far it came.

    `num_labels` is how many classes the model tells apart, `outputs` whether it puts out `logits`
    or `probabilities`, and `from_logits` whether the loss takes them for logits.
    """

    examples: int | None = None
    batch_size: int | None = None
    epochs: float | None = None
    max_steps: int | None = None
    learning_rate: float | None = None
    num_labels: int | None = None
    labels: dict[str, int] = field(default_factory=dict)
    device: str | None = None
    optimizer: str | None = None
    loss: str | None = None
    from_logits: bool | None = None
    outputs: str | None = None
    steps: int = 0
    seconds: float | None = None


@dataclass(frozen=True)
class RunRecord:
    """One run, from its events; see the module's description for their meaning.

    `losses` pairs a training step with the mean loss of the steps since the one before;
    `swallowed` are exceptions that left the Trainer and did not end the script; `figures` are what
    was measured, by name; `vitals` are the signs of the last training, if there was any, and
    `measured` the same after each evaluation of its model as it is at the end, the newest last;
    `earlier` are the trainings before it whose model was evaluated, each as the record of a run
    that ended there; `output` is what the script printed. `own_failures` are tracebacks of what
    went wrong in our own code; where one of these `ended_by_us` the script, nothing else tells of
    it. `hub` is the name of the hub that the run had: whoever starts a run knows it, the record's
    events do not. `places` tell what lines of the script are called that a person does not find by
    their number.
    """

    status: RunStatus
    versions: dict[str, str] = field(default_factory=dict)
    device: str | None = None
    raised: Raised | None = None
    swallowed: tuple[Raised, ...] = ()
    training: Training | None = None
    losses: tuple[tuple[int, float], ...] = ()
    evaluations: tuple[Evaluation, ...] = ()
    looks: tuple[LookResult, ...] = ()
    figures: dict[str, float] = field(default_factory=dict)
    vitals: VitalSigns | None = None
    measured: tuple[VitalSigns, ...] = ()
    ledger: Mapping[str, Any] | None = None
    earlier: "tuple[RunRecord, ...]" = ()
    output: ScriptOutput = NOTHING
    seconds: float = 0.0
    exit_code: int | None = None
    own_failures: tuple[str, ...] = ()
    ended_by_us: bool = False
    hub: HubKind = "online"
    places: Mapping[int, str] = field(default_factory=dict)

    @property
    def last_evaluation(self) -> Evaluation | None:
        """The last evaluation, with all that several metrics said of it; None if there was none.

        Each of them tells of itself alone, one after the other.
        """
        if not self.evaluations:
            return None
        last = self.evaluations[-1]
        values: dict[str, float] = {}
        for each in reversed(self.evaluations):
            if replace(each, values={}) != replace(last, values={}):
                break
            values = {**each.values, **values}
        return replace(last, values=values)


def parse(
    lines: Iterable[str], status: RunStatus | None = None, exit_code: int | None = None
) -> RunRecord:
    """Read a record from JSON lines.

    A line that isn't a known event in the expected shape makes the record `unreadable`: a run
    whose account can't be read is never taken for a good one. `status` is what the starting
    process saw (a time limit, say); it wins over what the record claims.
    """
    builder = Builder()
    try:
        for line in lines:
            if line.strip():
                builder.add(json.loads(line))
    except UNREADABLE:
        status = status or "unreadable"
    return builder.build(status, exit_code)


class Builder:
    """Gathers events into a record."""

    def __init__(self) -> None:
        self.start: StartEvent | None = None
        self.raised: Raised | None = None
        self.failed: list[Raised] = []
        self.losses: list[tuple[int, float]] = []
        self.training: Training | None = None
        self.evaluations: list[Evaluation] = []
        self.looks: list[LookResult] = []
        self.device: str | None = None
        self.stopped = False
        self.quit = False
        self.figures: dict[str, float] = {}
        self.vitals: VitalSigns | None = None
        self.measured: dict[tuple[str | None, int | None], VitalSigns] = {}
        self.evaluated: VitalSigns | None = None
        self.ledger: Mapping[str, Any] | None = None
        self.earlier: list[RunRecord] = []
        self.output = NOTHING
        self.own_failures: list[str] = []
        self.is_ended_by_us = False
        self.worker: Raised | None = None
        self.end: EndEvent | None = None

    def add(self, event: RunEvent) -> None:  # noqa: C901 - one flat branch for each event
        """Take in one event; raises one of `UNREADABLE` if it is not of the format."""
        if event["event"] == "start":
            if event["format"] != FORMAT:
                raise ValueError(f"format {event['format']}")
            self.start = event
        elif event["event"] == "train":
            # A second training begins a curve and signs of its own.
            self._keep_training()
            self.losses.clear()
            self.vitals = self.evaluated = None
            self.measured.clear()
            self.training = _read(Training, event)
        elif event["event"] == "trained":
            known = vars(self.training or Training())
            self.training = Training(
                **{**known, "steps": int(event["step"]), "seconds": float(event["seconds"])}
            )
            examples = event.get("examples")
            if examples is not None:
                self.training = replace(self.training, examples=int(examples))
        elif event["event"] == "figures":
            self.figures |= {str(k): float(v) for k, v in event["values"].items() if v is not None}
            for name in (k for k, v in event["values"].items() if v is None):
                self.figures.pop(name, None)
        elif event["event"] == "vitals":
            self.vitals = vital_signs.read(event)
            if self.vitals.model.evaluated_is_trained and not self._is_put_back(self.vitals):
                self.evaluated = self.vitals
                self._note_measured(self.vitals)
        elif event["event"] == "ledger":
            self.ledger = dict(event)
        elif event["event"] == "evaluate":
            self.evaluations.append(_read(Evaluation, event))
        elif event["event"] == "exception":
            self.device = event.get("device")
            self.raised = raised(event)
        elif event["event"] == "failed":
            if event.get("worker"):
                self.worker = raised(event)
            else:
                self.failed.append(raised(event))
        elif event["event"] == "ours":
            self.own_failures.append(str(event["trace"]))
            self.is_ended_by_us = self.is_ended_by_us or bool(event["ended"])
        elif event["event"] == "loss":
            self.losses.append((int(event["step"]), float(event["mean"])))
        elif event["event"] == "look":
            self.looks.append(_read(LookResult, event))
        elif event["event"] == "stopped":
            self.stopped = True
        elif event["event"] == "quit":
            self.quit = True
        elif event["event"] == "end":
            self.end = event
        elif event["event"] in {"output", "warning"}:
            self.output = self.output.heard(event)
        elif event["event"] not in {"line", "step", "ask", "progress"}:
            raise ValueError(f"no event {event['event']!r}")

    def _is_put_back(self, vitals: VitalSigns) -> bool:
        """Whether a model that had moved is where it began: for another training, most likely."""
        known = self.evaluated
        return known is not None and bool(known.model.moved) and vitals.model.moved == 0

    def _note_measured(self, vitals: VitalSigns) -> None:
        """Note the signs after an evaluation, the newest of each set of rows."""
        steps, found = vitals.model.steps, vitals.outcome
        if any(each.model.steps != steps for each in self.measured.values()):
            self.measured.clear()
        self.measured.pop((found.split, found.rows), None)
        if found.accuracy is not None and len(self.measured) < MOST_MEASURED:
            self.measured[found.split, found.rows] = vitals

    def _still_measured(self) -> Iterator[VitalSigns]:
        """Yield the signs after evaluations that no step of the training has followed."""
        steps = self.vitals.model.steps if self.vitals is not None else None
        return (each for each in self.measured.values() if each.model.steps == steps)

    def _keep_training(self) -> None:
        """Keep what is known of a training, where the model that it trained was evaluated.

        Signs of another model's evaluation, before that one is trained, are none of this training;
        nor are those of the same one with the weights of before.
        """
        if self.evaluated is not None and self.evaluated.outcome.accuracy is not None:
            figures = {**self.figures, **dict(self.evaluated.figures())}
            found = RunRecord(
                status="finished",
                figures=figures,
                vitals=self.evaluated,
                ledger=self.ledger,
                training=self.training,
                losses=tuple(self.losses),
            )
            self.earlier.append(found)

    def build(self, status: RunStatus | None, exit_code: int | None) -> RunRecord:
        """Build the record of the events so far; without a `status` it follows from them."""
        if status is None:
            ended: RunStatus = "finished"
            if self.raised or self.stopped:
                ended = "exception" if self.raised else "stopped"
            if self.quit:
                ended = "interrupted"
            status = "died" if self.end is None else ended
        versions = self.start.get("versions", {}) if self.start is not None else {}
        ended_by = self.worker if self.raised and self.worker else self.raised
        return RunRecord(
            status=status,
            versions={str(k): str(v) for k, v in versions.items()},
            device=(self.training and self.training.device) or self.device,
            raised=ended_by,
            swallowed=tuple(f for f in self.failed if not _same(f, self.raised)),
            figures={**self.figures, **dict(self.vitals.figures() if self.vitals else ())},
            vitals=self.vitals,
            measured=tuple(self._still_measured()),
            ledger=self.ledger,
            earlier=tuple(self.earlier),
            training=self.training,
            losses=tuple(self.losses),
            evaluations=tuple(self.evaluations),
            looks=tuple(self.looks),
            output=self.output,
            seconds=float(self.end.get("seconds", 0.0)) if self.end is not None else 0.0,
            exit_code=exit_code,
            own_failures=tuple(self.own_failures),
            ended_by_us=self.is_ended_by_us,
        )


def _read(kind: type[T], event: Mapping[str, Any]) -> T:
    """Read what has the fields of an event; raises a ValueError for another format."""
    told = {name: value for name, value in event.items() if name != "event" and value is not None}
    return schema.parse(kind, told, Place(Path("record"), ValueError))


def raised(event: ErrorInfo) -> Raised:
    """Read an exception from its event; raises one of `UNREADABLE` for another format."""
    return Raised(
        str(event["type"]),
        tuple(map(str, event["mro"])),
        str(event["message"]),
        tuple(_read(Frame, frame) for frame in event["frames"]),
        tuple(map(str, event.get("owner") or ())),
        str(event.get("asked") or ""),
        tuple(map(str, event.get("near") or ())),
        {
            str(k): v if isinstance(v, str) else float(v)
            for k, v in (event.get("state") or {}).items()
        },
    )


def _same(failed: Raised, raised: Raised | None) -> bool:
    """Whether what left the Trainer is what ended the script (seen later, so with more frames)."""
    return raised is not None and (failed.type, failed.message) == (raised.type, raised.message)
