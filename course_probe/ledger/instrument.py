"""What any run asks: hear it, write the ledger now and then."""

import functools
from types import ModuleType
from typing import TYPE_CHECKING, Any

from course_probe.after_import import call_after_import, call_before_import
from course_probe.event_log import EventLog
from course_probe.events import StepEvent
from course_probe.exception_report import Own
from course_probe.guard import FAILED, noted
from course_probe.hooks.wrap import ReportFailure, report_exceptions
from course_probe.instrument import Instrument
from course_probe.ledger.choices import AnswerCount, note_choice, note_said
from course_probe.ledger.ledger import Ledger
from course_probe.ledger.record import event_of
from course_probe.ledger.studies import Studies
from course_probe.ledger.taps import Number, Taps, line_of

if TYPE_CHECKING:
    from course_probe.ledger.keras.script import KerasScript

PROGRESS = 0.2
"""Seconds between two notes of how far a training is."""


class LedgerInstrument:
    """The ledger of one process, which is written where its steps are looked at, and at the end.

    `report` is called with each exception that leaves a method that trains or evaluates: a script
    may catch it and go on as if nothing had happened. Keras is listened to by hooks of its own,
    and so is what the script `of_lesson` is held against. `number` gives the line of a frame, where
    several texts are one script.
    """

    def __init__(
        self,
        log: EventLog,
        own: Own,
        report: ReportFailure,
        number: Number | None = None,
        *,
        of_lesson: bool = False,
    ) -> None:
        self._log = log
        self._of_lesson = of_lesson
        self._written = (0, 0, 0)
        self._own, self._number = own, number or line_of
        self._taps = Taps(self._new_ledger(), own, log, self._number)
        self._hooks = Instrument(log, report, at_early=self._write, at_end=self._finish_ledger)
        self._keras: KerasScript | None = None

    def _new_ledger(self) -> Ledger:
        return Ledger(Studies(self._log), self._write, self._tell)

    def begin_anew(self) -> None:
        """Forget what was heard of PyTorch: what comes is another training."""
        if self._taps.ledger.networks or self._taps.ledger.backwards:
            self._written, self._taps.ledger = (0, 0, 0), self._new_ledger()

    def enter_lesson(self) -> None:
        """Hear what follows as a lesson is heard."""
        if not self._of_lesson:
            self._of_lesson = True
            self.begin_anew()
            self._hooks.install()

    def install(self) -> None:
        """Hear PyTorch, a Trainer and Keras, now or once they are imported."""
        self._taps.install()
        call_after_import("transformers.trainer", functools.partial(noted, self._hook_trainer))
        if self._of_lesson:
            self._hooks.install()
        for name in ("keras", "tensorflow"):
            call_before_import(name, self._hook_keras)

    def _hook_trainer(self, module: ModuleType) -> None:
        for name in ("train", "evaluate"):
            method = report_exceptions(getattr(module.Trainer, name), self._hooks.report_once)
            setattr(module.Trainer, name, method)
        method, ledger = module.Trainer.evaluate, self._ledger_now

        @functools.wraps(method)
        def evaluated(trainer: Any, *arguments: Any, **named: Any) -> Any:
            count = ledger().counting = AnswerCount()
            try:
                figures = method(trainer, *arguments, **named)
            finally:
                ledger().counting = None
            noted(note_choice, ledger().choices, trainer, figures)
            noted(note_said, ledger().said, trainer, figures, count)
            return figures

        module.Trainer.evaluate = evaluated

    def _ledger_now(self) -> Ledger:
        return self._taps.ledger

    def _hook_keras(self) -> None:
        """Hear Keras of either version; in a lesson there is none but `tf_keras`."""
        if self._keras is None:
            from course_probe.ledger.keras.ledger import KerasLedger
            from course_probe.ledger.keras.script import OLDER, KerasScript

            self._keras = KerasScript(self._log, KerasLedger(self._log, self._own, self._number))
            for name, hook in self._keras.hooks(self._hooks.report_once).items():
                if name == OLDER or not self._of_lesson:
                    call_after_import(name, functools.partial(noted, hook))

    def finish(self, *, ended: bool = True) -> None:
        """Write what is known at the end, well or not."""
        self._finish_ledger(ended=ended)
        if self._keras is not None and ended and not self._hooks.has_reported:
            noted(self._keras.finish)
        if self._of_lesson:
            self._hooks.finish(ended=ended)
        elif FAILED:
            self._log.write_figures({"notes_failed": float(FAILED.total())}, lasting=True)

    def _finish_ledger(self, *, ended: bool = True) -> None:
        noted(self._taps.ledger.finish)
        noted(self._write, over=ended)

    def abandon(self) -> None:
        """Give up a training in progress, even if its optimizer goes on being used."""
        self._hooks.abandon()

    def _tell(self, step: int, planned: int) -> None:
        if self._of_lesson and self._hooks.tells_steps:
            return
        event = StepEvent(event="step", step=step, of=planned, epoch=0.0)
        self._log.write_seldom(event, every=PROGRESS)

    def _write(self, *, over: bool = False) -> None:
        """Write the ledger, if there is any, and anything in it that is new."""
        ledger = self._taps.ledger
        passes = sum(each.reached + each.aside for each in ledger.groups.values())
        heard = (passes, ledger.backwards, ledger.steps)
        if over or heard != self._written:
            self._written = heard
            if ledger.networks or ledger.backwards:
                self._log.write(event_of(ledger, over=over))
