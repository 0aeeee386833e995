"""The events that a run's process writes, one JSON object a line: format 1.

The hooks write them (`event_log.py`), `course/runs/record.py` and the grader read them. They are
what a process says of itself: whoever reads them takes nothing for granted, not even their shape.

Seconds are wall time unless they are called `cpu`. Steps are those of the optimizer, from 1 on. A
loss is text, since it may be "nan", which JSON does not know.
"""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict

FORMAT = 1

Figures = Mapping[str, float | None]
"""Measured values by name: a later one of the same name counts in its place, null takes it back."""
LabelCounts = Mapping[str, int]
"""How many examples have each label; empty where there is no column of labels."""


class StartEvent(TypedDict):
    """The run begins: versions of Python and of the libraries, by distribution name."""

    event: Literal["start"]
    format: int
    versions: dict[str, str]


class LineEvent(TypedDict):
    """A statement of the script begins: the number and the text of its first line."""

    event: Literal["line"]
    line: int
    text: str


class TrainEvent(TypedDict):
    """A training begins, with this set-up; what the framework does not know is missing or null.

    `learning_rate` is the highest of a schedule. `num_labels` is how many classes the model has
    outputs for, `outputs` whether its last layer gives logits or probabilities, and `from_logits`
    what the loss takes them for.
    """

    event: Literal["train"]
    examples: int | None
    batch_size: int | None
    epochs: NotRequired[float]
    max_steps: NotRequired[int | None]
    learning_rate: float | None
    num_labels: int | None
    labels: LabelCounts
    device: str | None
    optimizer: NotRequired[str]
    loss: NotRequired[str | None]
    from_logits: NotRequired[bool | None]
    outputs: NotRequired[Literal["logits", "probabilities"] | None]


class StepEvent(TypedDict):
    """A step of a training, of so many in all; at most a few of these are written a second."""

    event: Literal["step"]
    step: int
    of: int
    epoch: float


class LossEvent(TypedDict):
    """The mean loss of the steps since the last such event."""

    event: Literal["loss"]
    step: int
    mean: str


class EvaluateEvent(TypedDict):
    """An evaluation: its values, named `eval_…`, and the examples it was measured on."""

    event: Literal["evaluate"]
    step: int
    values: dict[str, float]
    examples: int
    labels: LabelCounts


class TrainedEvent(TypedDict):
    """A training is over. Only of a hand-written loop: how many `examples` it has seen."""

    event: Literal["trained"]
    step: int
    seconds: float
    cpu: NotRequired[float]
    examples: NotRequired[int | None]


class FiguresEvent(TypedDict):
    """Measurements by which silent faults are known."""

    event: Literal["figures"]
    values: Figures


class VitalsEvent(TypedDict):
    """The vital signs of the training so far, a later event in place of an earlier one.

    The parts and what is in them: `course/runs/vital_signs.py`. What was not measured is missing
    or null.
    """

    event: Literal["vitals"]
    model: NotRequired[dict[str, Any]]
    loss: NotRequired[dict[str, Any]]
    rate: NotRequired[dict[str, Any]]
    data: NotRequired[dict[str, Any]]
    outcome: NotRequired[dict[str, Any]]


class LedgerEvent(TypedDict):
    """What the ledger of a training holds so far, a later event in place of an earlier one.

    See `course_probe/ledger/record.py`; `course/facts/record.py` reads it.
    """

    event: Literal["ledger"]
    over: bool
    backwards: int
    steps: int
    networks: list[dict[str, Any]]
    passes: list[dict[str, Any]]
    losses: list[dict[str, Any]]
    optimizers: list[dict[str, Any]]
    gradients: list[dict[str, Any]]
    kin: list[dict[str, Any]]
    schedules: list[dict[str, Any]]
    loads: list[dict[str, Any]]
    studies: list[dict[str, Any]]
    workers: int
    choices: list[dict[str, Any]]
    said: list[dict[str, Any]]
    calls: NotRequired[list[dict[str, Any]]]


class FrameInfo(TypedDict):
    """One level of a traceback.

    `script` marks the learner's own code, `raises` a frame that stopped at a `raise` statement (the
    others stopped inside a call). `line` is 0 where it is unknown.
    """

    module: str
    file: str
    function: str
    line: int
    text: str
    script: bool
    raises: bool


class ErrorInfo(TypedDict):
    """An exception: full names of its class and of the classes it descends from.

    `owner` is the MRO of the object whose attribute was missing, `device` the accelerator in use;
    `frames` run from the outermost to the one that raised. `asked` is the name of the repository on
    the hub that a library was looking for: its message may leave it out. `near` are names that
    exist and are spelt nearly as the one that does not, the nearest first. `state` are facts of the
    moment in which it was raised, by dotted names: see `course_probe/crash_state.py`.
    """

    type: str
    mro: list[str]
    message: str
    owner: list[str] | None
    device: str | None
    frames: list[FrameInfo]
    asked: NotRequired[str]
    near: NotRequired[list[str]]
    state: NotRequired[dict[str, float | str]]


class ExceptionEvent(ErrorInfo):
    """The exception that ended the script."""

    event: Literal["exception"]


class FailedEvent(ErrorInfo):
    """An exception that left a method that trains or evaluates, caught by the script or not.

    `worker` is true in a process that the script has started: such an exception counts in place of
    what the parent process makes of it. Missing, it is false.
    """

    event: Literal["failed"]
    worker: NotRequired[bool]


class OursEvent(TypedDict):
    """Something went wrong in our own code, which is told to nobody as a mistake of the script.

    `trace` is the traceback. One that `ended` the script was raised into it.
    """

    event: Literal["ours"]
    trace: str
    ended: bool


class StoppedEvent(TypedDict):
    """The reader has asked for the end of the training; the looks still follow."""

    event: Literal["stopped"]


OutputStream = Literal["stdout", "stderr"]


class OutputLine(TypedDict):
    """A line that was printed, and the line of the script that printed it (or had it printed)."""

    line: int | None
    stream: OutputStream
    text: str


class OutputEvent(TypedDict):
    """Lines of the script's own, after so many others that were `omitted`."""

    event: Literal["output"]
    lines: list[OutputLine]
    omitted: int


class ProgressEvent(TypedDict):
    """How far a progress bar is that is none of a training; at most two of these a second."""

    event: Literal["progress"]
    text: str


class WarningEvent(TypedDict):
    """A warning of a library, or a record that its logger printed; `category` is its level then.

    `count` is how often it came: a later event of the same warning counts in its place.
    """

    event: Literal["warning"]
    category: str
    message: str
    module: str
    count: int


class LookOutput(TypedDict):
    """What a look printed, or the error it ended with, and the seconds it took."""

    output: str
    error: str | None
    seconds: float


class LookEvent(LookOutput):
    """The look of this index, from 0 on."""

    event: Literal["look"]
    index: int


AskKind = Literal["look", "input", "debugger"]
"""What a script may ask for: looks once it has ended, a line for `input()` or for the debugger."""


class PlaceInfo(TypedDict):
    """Where a frame of the script's own stands."""

    function: str
    line: int
    text: str


class AskEvent(TypedDict):
    """The script waits for what is said to it; see `serve/conversation.py`.

    `frames` are the script's own frames that looks may be in, the innermost first.
    """

    event: Literal["ask"]
    kind: AskKind
    number: int
    prompt: str
    frames: list[PlaceInfo]


class QuitEvent(TypedDict):
    """The learner has ended the script in the debugger."""

    event: Literal["quit"]


class EndEvent(TypedDict):
    """The run is over, with the exit status of the script."""

    event: Literal["end"]
    seconds: float
    exit: int


class AdaptedEvent(TypedDict):
    """A call of a script that is graded was made otherwise than it stands at this line.

    `kind` is `argument` (renamed or dropped), `service` (absent), `device`, or the part that was
    loaded from another checkpoint (`model`, `tokenizer`, `config`); `instead` may be empty.
    """

    event: Literal["adapted"]
    kind: str
    name: str
    instead: str
    line: int


class ReadyEvent(TypedDict):
    """An examination waits for its questions; `again` after the training."""

    event: Literal["ready"]
    reached: Literal["training", "loop", "parts", "nothing", "again"]


class AnswerError(TypedDict):
    """Why there is no answer: the exception, or that the part asked about is `missing`."""

    type: str
    message: str
    missing: bool


class AnswerEvent(TypedDict):
    """The answer to the question of this index: either a `value` or an `error`."""

    event: Literal["answer"]
    index: int
    value: NotRequired[Any]
    error: NotRequired[AnswerError]
    again: NotRequired[bool]


class ClaimsEvent(TypedDict):
    """How the training is set up, by the process's own account."""

    event: Literal["claims"]
    examples: int | None
    labels: LabelCounts
    batch_size: int | None
    epochs: float


class AnsweredEvent(TypedDict):
    """All questions are answered; the process waits for the order to train or to leave."""

    event: Literal["answered"]


class WeightsEvent(TypedDict):
    """The weights after the training are in the file `weights`, as safetensors.

    Of a Trainer's own steps `rate` is the highest learning rate; by them `moved` of the `tensors`
    that its optimizer holds have changed. Weights whose names begin with `own-steps/` are what
    these steps alone have made, where something else has changed the model too.
    """

    event: Literal["weights"]
    rate: NotRequired[float]
    moved: NotRequired[int]
    tensors: NotRequired[int]


class LogitsEvent(TypedDict):
    """What the trained model answers for the texts that it was asked about, a row for each."""

    event: Literal["logits"]
    value: Any


class LeftEvent(TypedDict):
    """The script was interrupted in place of training: has it `swallowed` the exception?"""

    event: Literal["left"]
    swallowed: bool


RunEvent = (
    StartEvent
    | LineEvent
    | TrainEvent
    | StepEvent
    | LossEvent
    | EvaluateEvent
    | TrainedEvent
    | FiguresEvent
    | VitalsEvent
    | LedgerEvent
    | ExceptionEvent
    | FailedEvent
    | OursEvent
    | StoppedEvent
    | OutputEvent
    | ProgressEvent
    | WarningEvent
    | LookEvent
    | AskEvent
    | QuitEvent
    | EndEvent
)
"""What any run may write."""
ExamEvent = (
    AdaptedEvent
    | ReadyEvent
    | AnswerEvent
    | ClaimsEvent
    | AnsweredEvent
    | WeightsEvent
    | LogitsEvent
    | LeftEvent
)
"""What only a run that is graded writes, beside those."""
Event = RunEvent | ExamEvent
