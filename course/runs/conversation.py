"""Saying something to a script that waits for it; `course_probe/serve/conversation.py` listens."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from course.base import files
from course.runs.child import Child, ProcessLost
from course.runs.record import LookResult, RunRecord
from course_probe.events import AskKind

POLL = 0.01
"""Seconds between two looks for what a look has shown."""
GRACE = 5.0
"""Seconds within which a look that is interrupted has to end."""
COMPLETION = 2.0
"""Seconds that a completion may take: somebody waits with a finger on the key."""

Complete = Callable[[str, int | None], tuple[str, ...]]
"""How a name (`mod`, `model.for`) may go on, by the names of a frame; for looks only."""


@dataclass(frozen=True)
class StopPlace:
    """Where a frame of the script's own stands."""

    function: str
    line: int
    text: str


@dataclass(frozen=True)
class FrameLook:
    """Code to evaluate in one frame of the script's own: 0 is the innermost."""

    code: str
    frame: int | None = None


@dataclass(frozen=True)
class Ask:
    """A script waits for something.

    `kind` is `look` once the script has ended, well or not, with the process still there; `input`
    for a line that `input()` waits for; `debugger` for a command. `prompt` is what is to be shown
    before that; of the debugger it is all it has printed since. `number` is that of the first turn.
    `record` is the run so far, which
    can be judged: of a `look` it is complete, else its status says `finished` where it is not.
    `result` is what the look before has shown, None at first. `frames` are the script's own that an
    exception came through, the innermost first; empty where none did.
    """

    kind: AskKind
    prompt: str
    number: int
    record: RunRecord
    result: LookResult | None = None
    frames: tuple[StopPlace, ...] = ()
    complete: Complete = field(default=lambda text, frame: (), repr=False, compare=False)


def read(event: dict[str, Any]) -> Ask:
    """Read a script's request from its event; raises one of `UNREADABLE` for another form."""
    places = (
        StopPlace(str(f["function"]), int(f["line"]), str(f["text"])) for f in event["frames"]
    )
    kinds: dict[str, AskKind] = {kind: kind for kind in get_args(AskKind)}
    return Ask(
        kind=kinds[event["kind"]],
        prompt=str(event["prompt"]),
        number=int(event["number"]),
        record=RunRecord("finished"),
        frames=tuple(places),
    )


Converse = Callable[[Ask], str | FrameLook | None]
"""Answers what a script asks for; None ends it.

Of a `look` the answer is an expression or statements, evaluated as a notebook cell would, with the
names of the module and of the innermost frame (or a `FrameLook`); it is asked again with the
`result` until it answers None. Of `input` and `debugger` it is a line without its end; None is the
end of the input, which quits the debugger. What it raises ends the run.
"""


@dataclass
class Exchange:
    """The turns of a conversation with one child, by files in the run's folder."""

    _place: Path
    _child: Child
    _converse: Converse
    _limit: float
    _is_cancelled: Callable[[], bool]
    _number: int = field(init=False, default=0)

    def attend(self, ask: Ask) -> bool:
        """Answer what a script asks for; False where it is gone or does not answer any more."""
        self._number = ask.number
        ask = replace(ask, complete=self.complete)
        if ask.kind != "look":
            answer = self._converse(ask)
            self._say({} if answer is None else {"text": _code(answer)})
            return True
        looks = 0
        while (answer := self._converse(ask)) is not None:
            frame = answer.frame if isinstance(answer, FrameLook) else None
            seen = self._exchange({"code": _code(answer), "frame": frame}, self._limit)
            if seen is None:
                return False
            result = LookResult(looks, seen["output"], seen["error"], seen["seconds"])
            ask = replace(ask, result=result)
            looks += 1
        self._say({})
        return True

    def complete(self, text: str, frame: int | None = None) -> tuple[str, ...]:
        """How a name may go on."""
        seen = self._exchange({"complete": text, "frame": frame}, COMPLETION)
        return tuple(seen.get("candidates", ())) if seen is not None else ()

    def _exchange(self, said: dict[str, Any], limit: float) -> dict[str, Any] | None:
        """Say something and wait for what comes of it; None where nothing does.

        Raises:
            KeyboardInterrupt: the second one; the first interrupts the look.

        """
        number = self._number
        self._say(said)
        deadline = time.monotonic() + limit
        interrupted = False
        while True:
            try:
                seen = self._seen(number)
                late = time.monotonic() > deadline
                if seen is not None or self._is_gone() or self._is_cancelled():
                    return seen
                if late and interrupted:
                    return None
            except KeyboardInterrupt:
                if interrupted:
                    raise
                late = True
            if late:
                interrupted = True
                deadline = time.monotonic() + GRACE
                (self._place / f"interrupt-{number}").touch()

    def _seen(self, number: int) -> dict[str, Any] | None:
        path = self._place / f"seen-{number}.json"
        if not path.exists():
            return None
        seen: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return seen

    def _is_gone(self) -> bool:
        with suppress(ProcessLost):
            return self._child.wait(POLL)
        return True

    def _say(self, said: dict[str, Any]) -> None:
        files.write(self._place / f"said-{self._number}.json", json.dumps(said).encode())
        self._number += 1


def _code(answer: str | FrameLook) -> str:
    return answer.code if isinstance(answer, FrameLook) else answer
