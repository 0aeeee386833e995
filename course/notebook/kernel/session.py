"""A session: what is known of the learner's notebook while its kernel runs, and what is said."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from course.base.i18n import _
from course.notebook.kernel.cell_runs import CellRuns

if TYPE_CHECKING:
    from course.judge.attempt import Attempt
    from course.lesson.bug import Bug
    from course.lesson.catalogue import Fault
    from course.lesson.lesson import Part
    from course.notebook.kernel.cell_looks import CellLooks
    from course.notebook.kernel.listener import CellListener
    from course.notebook.kernel.messages import Message
    from course.runs.record import Builder, RunRecord
    from course_probe.events import LookOutput, RunEvent

Quietly = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True)
class NotebookExercise:
    """Which exercise the notebook is, and the bugs it was made with. An `exam` shows no fix."""

    part: "Part"
    bugs: tuple["Bug", ...]
    exam: bool = False


@dataclass
class NotebookSession:
    """One kernel's session.

    `namespace` is the learner's, `show` displays a message, `quietly` keeps what looks print or
    display from showing. `exercise` is None in a notebook that is none of ours. `texts` are the
    cells as they were last run, the latest last. `named` is the fault that was named last where
    there is no exercise. `looks` are for what the last attempt showed, `behind` the faults that the
    cells have got past, and `guessed` those that were guessed, rightly or not.
    """

    namespace: dict[str, Any]
    show: "Callable[[Message], None]"
    quietly: Quietly
    listener: "CellListener | None" = None
    exercise: NotebookExercise | None = None
    online: bool = False
    texts: dict[str, str] = field(default_factory=dict)
    attempt: "Attempt | None" = None
    named: "Fault | None" = None
    hints: dict[str, int] = field(default_factory=dict)
    guessed: set[str] = field(default_factory=set)
    looks: "CellLooks | None" = None
    behind: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._builder: Builder | None = None
        self._trained = False
        self._announced = False
        self._evaluated = False
        self._under_way = False
        self._backwards = 0
        self._runs = CellRuns()

    def enter(self, exercise: NotebookExercise, *, online: bool) -> None:
        """Take a notebook for this exercise; what was known of another one does not count."""
        if exercise != self.exercise:
            self.attempt, self.looks, self.behind = None, None, ()
            self.hints.clear()
            self.guessed.clear()
        if self.listener is not None:
            self.listener.enter_lesson()
        self.exercise, self.online = exercise, online

    def hear(self, event: "RunEvent") -> None:
        """Take in an event; say at once what is certain while a training runs."""
        builder = self._heard
        kind = event["event"]
        if kind == "train":
            # What went before belongs to another training.
            builder.failed.clear()
            builder.evaluations.clear()
            self._trained, self._announced = True, False
        builder.add(event)
        self._evaluated = self._evaluated or kind == "evaluate"
        if event["event"] == "ledger":
            # It tells of all cells so far.
            self._trained = self._trained or event["backwards"] > self._backwards
            self._backwards = event["backwards"]
            self._evaluated = True
        if self._trained:
            self._runs.note_training()
        waits = self._under_way and not self._announced and self.exercise is not None
        if waits and kind in ("loss", "figures"):
            self._judge_under_way()

    def begin(self, name: str, text: str) -> None:
        """Begin a cell. One that only asks the course something leaves all as it is."""
        said = [line.strip() for line in text.splitlines() if line.strip()]
        if said and all(line.startswith("%course") for line in said):
            return
        if self.listener is not None:
            lines = self.listener.begin_cell(text)
            if self._runs.begin(name, text, lines):
                # As long as nothing is written of this training, that before may not speak for it.
                self.listener.begin_anew()
                self._heard.ledger, self._backwards = None, 0
        self.texts.pop(name, None)
        self.texts[name] = text
        self._heard.raised = self._heard.worker = None
        if self.looks is not None:
            self.looks.forget()
        self._trained = self._evaluated = False
        self._under_way = True

    def end(self, error: BaseException | None) -> None:
        """End a cell, with this error or none."""
        self._under_way = False
        if self.listener is None or isinstance(error, KeyboardInterrupt | SystemExit):
            return
        if error is not None and not isinstance(error, SyntaxError):
            self.listener.report_exception(error)
        self.listener.end_cell(error)
        if error is not None or self._trained or self._evaluated:
            self._judge()
        self._trained = self._evaluated = False

    @property
    def _heard(self) -> "Builder":
        if self._builder is None:
            from course.runs.record import Builder

            self._builder = Builder()
        return self._builder

    @property
    def losses(self) -> tuple[tuple[int, float], ...]:
        """The loss of the last training, by its steps."""
        return tuple(self._heard.losses)

    def record(self) -> "RunRecord":
        """Return the record of all that was heard since the last training began."""
        from course_probe.events import FORMAT

        if self._heard.start is None and self.listener is not None:
            versions = self.listener.versions()
            self._heard.add({"event": "start", "format": FORMAT, "versions": versions})
        record = self._heard.build("exception" if self._heard.raised else "finished", None)
        if record.ledger is not None:
            record = replace(record, ledger=self._runs.current(record.ledger))
        return replace(record, hub="embedded" if self.exercise and not self.online else "online")

    def judged(self, exercise: NotebookExercise, record: "RunRecord") -> "Attempt":
        """Judge a record by what the cells show of the exercise, too."""
        from course.judge.attempt import judge_attempt
        from course.notebook.kernel import cell_fix

        places = cell_fix.places(self.texts, exercise.part.known)
        return judge_attempt(
            exercise.part, exercise.bugs, record, online=self.online, places=places
        )

    def keep(self, found: "Attempt") -> None:
        """Keep what the cells have shown: hints, looks and fixes are about that."""
        from course.exercise import look
        from course.notebook.kernel.cell_looks import CellLooks

        self.attempt = found
        if found.behind is not None:
            self.behind = found.behind
        if self.exercise is not None:
            self.looks = CellLooks(look.suggested(self.exercise.part, found), self._look)

    def _look(self, code: str, names: dict[str, Any]) -> "LookOutput":
        assert self.listener is not None
        with self.quietly():
            return self.listener.look(code, names)

    def _judge_under_way(self) -> None:
        """Say that more of a training is in vain; it is the learner who stops it."""
        from course.judge.verdict import should_stop
        from course.notebook.kernel import messages
        from course.render.blocks import Paragraph

        exercise = self.exercise
        if exercise is None:
            return
        if not should_stop(self.record(), exercise.part.expects(online=self.online)):
            return
        self._announced = True
        found = self.judged(exercise, self.record())
        self.keep(found)
        message = messages.attempt(found, self.losses, exercise.part)
        advice = _("You do not need to wait for the end: interrupt the kernel and fix the cell.")
        message.add(Paragraph(advice, "quiet"))
        self.show(message)

    def _judge(self) -> None:
        """Judge the cell that has ended, and say what it showed if it is worth saying."""
        from course.notebook.kernel import messages

        record = self.record()
        if self.exercise is None:
            self._judge_own(record)
            return
        exercise = self.exercise
        found = self.judged(exercise, record)
        self.keep(found)
        match = found.verdict.match
        # A slip such as Python itself tells has its traceback, and that says it all.
        known = match is not None and not match.fault.general
        # A loop written by hand is mostly evaluated in a cell of its own, later.
        # It tells no length.
        training = self._heard.training
        by_hand = training is not None and training.epochs is None
        waits = by_hand and found.verdict.problem == "no-metric"
        ended = (self._trained or self._evaluated) and record.raised is None and not waits
        # An error of the learner's own making has its traceback, and that says it all.
        if (known or ended) and not self._announced:
            self.show(messages.attempt(found, self.losses, exercise.part))

    def _judge_own(self, record: "RunRecord") -> None:
        """Judge a cell of a notebook that is no exercise, as a script of no lesson is judged."""
        from course.judge.script_verdict import judge_script
        from course.notebook.kernel.messages import Message
        from course.render import run_blocks

        text = ""
        if self.listener is not None and record.ledger is not None:
            text = self.listener.own.text
            record = replace(record, places=self.listener.own.places)
        biting = judge_script(record, text).biting
        # A slip such as Python itself tells has its traceback, and that says it all.
        if biting is not None and biting.fault.general:
            biting = None
        self.named = biting.fault if biting is not None else None
        if biting is not None:
            raised = record.raised
            is_told = raised is not None or biting.evidence
            shown = () if is_told else run_blocks.silent(biting.match, biting.figures)
            evidence = biting.evidence if raised is None else ""
            self.show(Message([*shown, *run_blocks.diagnosis(biting.match, raised, evidence)]))
