"""An examination: questions to the parts of a training, one by one, before it may begin.

A class's grader does not wait for one fault after the other to bite. When the script is about to
train, the parts that it has put together (data, collator, model, metric, …) are handed questions
that were drawn a moment ago, outside, where the answers are known. Only then, and only if
that is wanted, does the training begin. What is written here is what the process says of itself:
claims, to be checked by the reader.

The events (`events.py`), and the files that the process waits for in between:

    exception   any number: a statement that fails does not end the script
    ready       waits for `questions.json`: [{"kind", …}, …]
    answer      one a question
    claims      how the training is set up
    answered    waits for `then.json`: {"do": "train" | "leave", "epochs": 1, "again": true,
                "repair": [kind, …], "data": {…}}, and with "ask" texts for the trained model
    weights     after the training
    logits      what the trained model answered for those texts
    ready       "reached" is "again": waits for `again.json`, more questions as above
    left        in place of the training
"""

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NoReturn, Protocol, TypedDict, cast

from course_probe.event_log import EventLog
from course_probe.events import (
    AnsweredEvent,
    AnswerError,
    AnswerEvent,
    ClaimsEvent,
    LogitsEvent,
    ReadyEvent,
    WeightsEvent,
)
from course_probe.exam.clock import ScriptClock
from course_probe.exception_report import full_name

PATIENCE = 900.0
"""Seconds to wait for the grader's next file: on a busy machine it takes its time."""
DAY = 86_400
"""Seconds by which a script's clocks are put forward before its parts are asked once more."""
PAUSE = 0.002
"""Seconds between two looks for it."""
THINKING, WAITING = 8.0, 40.0
"""Seconds for one answer, of the processor and by the clock: a part that never comes back must not
hide the others, and on a busy machine a second of work takes many."""
Reached = Literal["training", "loop", "parts", "nothing"]
"""How far a script has come: to a training of a framework, through a loop of its own, or not."""


class PartMissing(Exception):
    """The part that is asked for is not there."""


class TooSlow(Exception):
    """An answer has not come in time."""


class Over(BaseException):
    """Nothing more is wanted of this script. No `except` of the script's may hold it up."""


class Interrupted(RuntimeError):
    """Raised in place of the training when it is not wanted: would the script notice?"""


class Parts(Protocol):
    """The parts of a training, as one framework holds them."""

    def answer(self, question: dict[str, Any]) -> Any:
        """Answer a question with the part of the training that it is about.

        Raises:
            PartMissing: there is no such part.

        """

    def logits(self, question: dict[str, Any]) -> Any:
        """Return the logits for many texts (`input_ids`, `attention_mask`), a row for each."""

    def claims(self) -> ClaimsEvent:
        """Return how the training is set up: examples, labels, batch size, epochs."""

    def weights(self) -> bytes:
        """Return the weights of the model, as a safetensors file holds them."""


class Candidate(Parts, Protocol):
    """The parts of a training that has yet to be made."""

    def state(self) -> Any:
        """Copy the model's weights, for `restore`."""

    def restore(self, state: Any) -> None:
        """Load the weights that `state` returned."""

    def repair(self, kinds: list[str], data: dict[str, Any]) -> None:
        """Replace the parts that these kinds of questions are about with healthy ones."""

    def train(self, epochs: float, evaluate: bool) -> Any:
        """Train for `epochs`, whatever the script says; `evaluate` at the end if it does not."""


class ExamOrder(TypedDict):
    """The folder of the questions, and the descriptor of the file that weights are written to."""

    place: str
    weights: int


class Examination:
    """One examination: at most one training of a script is examined, the first."""

    def __init__(self, order: ExamOrder, log: EventLog) -> None:
        self._place = Path(order["place"])
        self._weights = order["weights"]
        self._log = log
        self._clock = ScriptClock()
        self.has_begun = False
        self._make: Callable[[], Parts] | None = None
        self._loop: Callable[[], Parts] | None = None

    def install(self) -> None:
        """Have the script read clocks of ours."""
        self._clock.install()

    def remember(self, make: Callable[[], Parts]) -> None:
        """Remember parts that were put together, should they never be used to train."""
        self._make = make

    def remember_loop(self, make: Callable[[], Parts]) -> None:
        """Remember the parts of a loop by hand, should no framework be put together at all."""
        self._loop = make

    def examine(self, parts: Parts, reached: Reached = "training") -> NoReturn:
        """Answer the questions, and train if that is wanted.

        Raises:
            Interrupted: it is not; the script should stop at this.
            Over: nothing is left to do.

        """
        if self.has_begun:
            raise Over
        self.has_begun = True
        self._ask(parts, "questions.json", reached)
        with contextlib.suppress(Exception):
            self._log.write(parts.claims())
        self._log.write(AnsweredEvent(event="answered"))
        then = self._wait("then.json")
        if then["do"] == "train":
            candidate = cast("Candidate", parts)
            # Whatever it raises has been reported on its way out of the framework.
            with contextlib.suppress(Exception):
                candidate.repair(then["repair"], then["data"])
                before = candidate.state()
                candidate.train(then["epochs"], then["again"])
                self._hand_over(candidate.weights())
                self._log.write(_weights_event(candidate))
                self._ask_model(candidate, then)
                # What a training may have done to the weights says nothing of the parts.
                candidate.restore(before)
            if then["again"]:
                self._clock.ahead = DAY
                self._ask(candidate, "again.json", "again")
            if not then["repair"]:
                raise Over
        elif reached == "loop":
            with contextlib.suppress(Exception):
                self._ask_model(parts, then)
        raise Interrupted("the training is not wanted")

    def finish(self) -> None:
        """Examine what there is, if the script has ended without a training."""
        if not self.has_begun:
            with contextlib.suppress(Interrupted, Over):
                if self._make is not None:
                    self.examine(self._make(), "parts")
                if self._loop is not None:
                    self.examine(self._loop(), "loop")
                self.examine(cast("Parts", _Nothing()), "nothing")

    def _ask_model(self, parts: Parts, then: dict[str, Any]) -> None:
        """Put many texts to the trained model, where its weights alone don't tell what it does."""
        if "ask" in then:
            self._log.write(LogitsEvent(event="logits", value=parts.logits(then["ask"])))

    def _ask(self, parts: Parts, name: str, reached: Reached | Literal["again"]) -> None:
        """Answer the questions of one file."""
        self._log.write(ReadyEvent(event="ready", reached=reached))
        for index, question in enumerate(self._wait(name)):
            answer = AnswerEvent(event="answer", index=index)
            self._answer(parts, question, answer)
            if reached == "again":
                answer["again"] = True
            self._log.write(answer)

    def _answer(self, parts: Parts, question: Any, answer: AnswerEvent) -> None:
        """Put a part's answer to a question, or the error it ends with, into the event."""
        _set_timers(THINKING, WAITING)
        try:
            value = parts.answer(question)
            _set_timers(0, 0)
            if question.get("weights"):
                self._hand_over(parts.weights())
            answer["value"] = value
        except Exception as error:  # noqa: BLE001 - what a submission raises is its answer
            answer["error"] = AnswerError(
                type=full_name(type(error)),
                message=str(error)[:2000],
                missing=isinstance(error, PartMissing),
            )
        finally:
            _set_timers(0, 0)

    def _hand_over(self, weights: bytes) -> None:
        os.ftruncate(self._weights, 0)
        done = 0
        while done < len(weights):
            done += os.pwrite(self._weights, weights[done:], done)

    def _wait(self, name: str) -> Any:
        path = self._place / name
        patience = time.monotonic() + PATIENCE
        while time.monotonic() < patience:
            with contextlib.suppress(FileNotFoundError):
                return json.loads(path.read_text("utf-8"))
            time.sleep(PAUSE)
        raise Over


def _weights_event(candidate: Candidate) -> WeightsEvent:
    """Tell that the weights are there, and what the training's own steps did, where it is known."""
    found = WeightsEvent(event="weights")
    steps = getattr(candidate, "steps", lambda: None)()
    if steps is not None:
        found["rate"], found["moved"], found["tensors"] = steps
    return found


def _set_timers(working: float, waiting: float) -> None:
    """Interrupt an answer after so many seconds of the processor, or by the clock; 0 for never."""
    for number, timer, seconds in (
        (signal.SIGPROF, signal.ITIMER_PROF, working),
        (signal.SIGALRM, signal.ITIMER_REAL, waiting),
    ):
        signal.signal(number, _raise_too_slow)
        signal.setitimer(timer, seconds)


def _raise_too_slow(number: int, frame: Any) -> None:
    raise TooSlow(f"no answer in {THINKING:g} seconds")


class _Nothing:
    """A script that has put nothing together."""

    def __getattr__(self, name: str) -> Any:
        raise PartMissing
