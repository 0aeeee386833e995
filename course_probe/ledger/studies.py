"""The few steps, and batches of an evaluation, that are asked what would be otherwise.

What they do is heard by a tape: from a pass to its loss, or from the end of an evaluation's pass to
the next one. All questions are put in a child of the process.
"""

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

from course_probe.event_log import EventLog
from course_probe.replay.graph import walked
from course_probe.replay.steps import ComingStep
from course_probe.replay.study import Found, study, study_evaluation
from course_probe.replay.tape import OperationTape
from course_probe.replay.visits import changed_by_visits

STEPS = (2, 20, 200)
"""Backwards of a training that are studied, all of which are looked at."""
EVALUATIONS = 2
"""Lines of an evaluation that are studied, by one batch: the first, and later ones."""
LATER = 3
"""How many times as many backwards have to be made until the same line is studied again."""
MOST = 12
"""Studies that are kept."""


class Studies:
    """What is asked of a script, and what was found: plain values, with their place."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._tape = OperationTape(log)
        self._is_heard = self._is_elsewhere = False
        self._lines: dict[int, int] = {}
        self._ends = set[int]()
        self._asked: tuple[Found, Any] | None = None
        self.found: list[Found] = []

    @property
    def is_waiting(self) -> bool:
        """Whether the next pass ends what is heard of an evaluation."""
        return self._asked is not None

    def begin_step(self, module: Any, number: int) -> None:
        """Note that a pass is about to be made, in the step of this number of its training."""
        self.end_evaluation()
        if number not in STEPS or self._is_heard or len(self.found) >= MOST:
            return
        self._is_heard = _is_plain(module)
        self._is_elsewhere = not self._is_heard
        if self._is_heard:
            self._tape.forget()
            self._tape.open()

    def ask_step(
        self, places: Sequence[Found], passes: Sequence[Any], root: Any, coming: ComingStep | None
    ) -> None:
        """Ask about a step whose loss is about to be sent backward: about its last pass.

        The step that is `coming` is made with that loss alone; None if that is not known. Each pass
        has its place.
        """
        place = places[-1]
        if self._is_heard:
            self._is_heard = False
            self._tape.close()
            self._ask(place, study, passes[-1], root, self._tape, passes, coming)
            of_last = self.found[-1]["found"]
            others = [(places[at]["network"], moves) for at, moves in of_last.get("others") or ()]
            of_last["others"] = others
            if sum(each["kind"] == "step" for each in self.found) == 1:
                of_last["changed"] = changed_by_visits()
        elif self._is_elsewhere:
            # No child can be asked about another device; the graph is there, and waits for nothing.
            self._is_elsewhere = False
            self.found.append({**place, "found": {"graph": walked(root), "limits": ["device"]}})

    def begin_evaluation(self, place: Found, pass_: Any, *, is_last: bool = False) -> None:
        """Hear what becomes of the outputs of a pass that no loss was made of.

        Of each line, the `last` batch of one evaluation is asked about besides.
        """
        line, at = place["line"], place["at"]
        is_full = len(self._lines) >= EVALUATIONS and line not in self._lines
        if is_full or len(self.found) >= MOST:
            return
        if is_last and line in self._lines and line not in self._ends:
            self._ends.add(line)
            place = {**place, "kind": "end"}
        elif at < LATER * self._lines.get(line, 0):
            return
        else:
            self._lines[line] = max(at, 1)
        if _is_plain(pass_.network()):
            self._asked = (place, pass_)
            self._tape.forget()
            self._tape.open()

    def end_evaluation(self) -> None:
        """Study the evaluation recorded so far: what follows belongs to something else."""
        if self._asked is not None:
            place, pass_ = self._asked
            self._asked = None
            self._tape.close()
            self._ask(place, study_evaluation, pass_, self._tape)

    def rest(self) -> None:
        """Take the tape off, if that could not be done within a backward."""
        if not self._is_heard and self._asked is None:
            self._tape.close()

    def _ask(self, place: Found, question: Callable[..., Found], *about: Any) -> None:
        before, self._log.looking = self._log.looking, True
        try:
            values = question(*about)
        finally:
            self._log.looking = before
            self._tape.forget()
        self.found.append({**place, "found": plain(values)})


def plain(value: Any) -> Any:
    """Return the same values as JSON knows them: None for a number that is not finite."""
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _is_plain(module: Any) -> bool:
    """Whether a network's values are on a CPU: no other process can ask about those elsewhere."""
    first = next(module.parameters(), None) if module is not None else None
    torch = sys.modules["torch"]
    return first is not None and first.device.type == "cpu" and not torch.cuda.is_initialized()
