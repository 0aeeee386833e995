"""Being examined: the parts of a training are asked, one by one, before it may begin.

A class's grader does not wait for one fault after the other to bite. When the script is about to
train, the parts that it has put together (data, collator, model, metric, …) are handed questions
that were drawn a moment ago, outside; whoever drew them knows the answers. Only then, and only if
that is wanted, does the training begin. What is written here is what the process says of itself:
claims, to be checked by the reader.

Events (JSON lines, as in `course/run/record.py`):

    {"event": "exception", …}     any number: a statement that fails does not end the script
    {"event": "ready", "reached": "training" | "parts" | "nothing"}
                                  waits for the file `questions.json`: [{"kind", …}, …]
    {"event": "answer", "index": 0, "value": … }    or "error": {"type", "message", "missing"}
    {"event": "claims", …}        figures of how the training is set up
    {"event": "answered"}         waits for the file `then.json`: {"do": "train" | "leave",
                                  "epochs": 1, "again": true, "repair": [kind, …],
                                  "data": {…}}
    {"event": "weights"}          those after the training are in the file `weights`, as safetensors
    {"event": "ready", "reached": "again"}  after the training: waits for `again.json`, as above;
                                  these answers have "again": true
    {"event": "left", "swallowed": true}    the script caught what was raised to end it
"""

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from course_probe.hooks import AfterImport
from course_probe.journal import Journal

PATIENCE = 120.0
"""Seconds to wait for the grader's next word."""
PAUSE = 0.002
THINKING = 8.0
"""Seconds for one answer: a part that never comes back is not to hide the others."""
ERRORS = 20
"""Failing statements after which the rest of a script is not tried any more."""


class Missing(Exception):
    """The part that is asked for is not there."""


class TooSlow(Exception):
    """An answer has not come in time."""


class Over(BaseException):
    """Nothing more is wanted of this script. No `except` of the script's is to hold it up."""


class Interrupted(RuntimeError):
    """Raised in place of the training when it is not wanted: would the script notice?"""


class Candidate(Protocol):
    """The parts of a training, as one framework holds them."""

    def answer(self, question: dict[str, Any]) -> Any:
        """What the part that a question is about makes of it.

        Raises:
            Missing: there is no such part.

        """

    def claims(self) -> dict[str, Any]:
        """Figures of how the training is set up."""

    def weights(self) -> bytes:
        """The weights of the model, as a safetensors file holds them."""

    def state(self) -> Any:
        """The weights of the model as they are now."""

    def restore(self, state: Any) -> None:
        """Give the model the weights back that it had."""

    def repair(self, kinds: list[str], data: dict[str, Any]) -> None:
        """Put parts of ours in the place of those that these kinds of questions are about."""

    def train(self, epochs: float, evaluate: bool) -> Any:
        """Train for so many epochs, whatever the script says, and see to it that it evaluates."""


class Exam:
    """One examination: at most one training of a script is examined, the first."""

    def __init__(self, order: dict[str, Any], journal: Journal) -> None:
        self._place = Path(order["place"])
        self._weights = int(order["weights"])
        self._journal = journal
        self.sat = False
        self._made: Callable[[], Candidate] | None = None

    def made(self, candidate: Callable[[], Candidate]) -> None:
        """Remember parts that were put together, should they never be used to train."""
        self._made = candidate

    def sit(self, candidate: Candidate, reached: str = "training") -> Any:
        """Answer what is asked, and train if that is wanted.

        Raises:
            Interrupted: it is not; the script should stop at this.
            Over: all is said.

        """
        if self.sat:
            raise Over
        self.sat = True
        self._ask(candidate, "questions.json", reached)
        with contextlib.suppress(Exception):
            self._journal.write("claims", **candidate.claims())
        self._journal.write("answered")
        then = self._wait("then.json")
        if then["do"] == "train":
            # Whatever it raises has been reported on its way out of the framework.
            with contextlib.suppress(Exception):
                candidate.repair(then["repair"], then["data"])
                before = candidate.state()
                candidate.train(then["epochs"], then["again"])
                self._hand_over(candidate.weights())
                self._journal.write("weights")
                # What a training may have done to the weights says nothing of the parts.
                candidate.restore(before)
            if then["again"]:
                self._ask(candidate, "again.json", "again", again=True)
            if not then["repair"]:
                raise Over
        raise Interrupted("the training is not wanted")

    def finish(self) -> None:
        """Examine what there is, if the script has ended without a training."""
        if not self.sat:
            candidate: Candidate = self._made() if self._made is not None else _Nothing()
            with contextlib.suppress(Interrupted, Over):
                self.sit(candidate, "parts" if self._made is not None else "nothing")

    def _ask(self, candidate: Candidate, name: str, reached: str, **more: Any) -> None:
        """Answer one set of questions."""
        self._journal.write("ready", reached=reached)
        for index, question in enumerate(self._wait(name)):
            answer = self._answer(candidate, question)
            self._journal.write("answer", index=index, **answer, **more)

    def _answer(self, candidate: Candidate, question: dict[str, Any]) -> dict[str, Any]:
        signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, THINKING)
        try:
            value = candidate.answer(question)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if question.get("weights"):
                self._hand_over(candidate.weights())
            return {"value": value}
        except Exception as error:  # noqa: BLE001 - a submission may raise anything: it is its answer
            kind = type(error)
            said = {"type": f"{kind.__module__}.{kind.__qualname__}", "message": str(error)[:2000]}
            return {"error": {**said, "missing": isinstance(error, Missing)}}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

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


def _ring(number: int, frame: Any) -> None:
    raise TooSlow(f"no answer in {THINKING:g} seconds")


class _Nothing:
    """A script that has put nothing together."""

    def answer(self, question: dict[str, Any]) -> Any:
        raise Missing

    def claims(self) -> dict[str, Any]:
        return {}

    def weights(self) -> bytes:
        raise Missing

    def state(self) -> Any:
        raise Missing

    def restore(self, state: Any) -> None:
        raise Missing

    def repair(self, kinds: list[str], data: dict[str, Any]) -> None:
        raise Missing

    def train(self, epochs: float, evaluate: bool) -> Any:
        raise Missing


def install(exam: Exam) -> None:
    """Be there when a framework's training begins, whether it is imported already or not."""
    from course_probe import exam_keras, exam_trainer

    examiners: dict[str, Callable[[ModuleType, Exam], None]] = {
        "transformers.trainer": exam_trainer.examine,
        "tf_keras.src.engine.training": exam_keras.examine,
    }
    for name, examine in examiners.items():

        def then(module: ModuleType, examine: Any = examine) -> None:
            examine(module, exam)

        if name in sys.modules:
            then(sys.modules[name])
        else:
            sys.meta_path.insert(0, AfterImport(name, then))


def execute(
    statements: Iterable[Any],
    exam: Exam,
    journal: Journal,
    report: Callable[[BaseException], None],
) -> int:
    """Run a script's statements, going on after one that fails; the exit status is 0."""
    install(exam)
    failed = 0
    try:
        for statement in statements:
            try:
                statement.run()
            except Interrupted:
                journal.write("left", swallowed=False)
                raise Over from None
            except SystemExit:
                break
            except Exception as error:  # noqa: BLE001 - a submission may raise anything: it is reported
                report(error)
                failed += 1
                if failed == ERRORS:
                    break
                _salvage(statement)
            if exam.sat:
                # What was raised in place of the training has not come this far.
                journal.write("left", swallowed=True)
                raise Over
        exam.finish()
    except Over:
        pass
    except BaseException as error:  # noqa: BLE001 - a submission may raise anything: it is reported
        report(error)
        exam.finish()
    return 0


def _salvage(statement: Any) -> None:
    """Do what can be done of a statement that has failed."""
    for rest in statement.remains():
        with contextlib.suppress(Exception):
            rest.run()
