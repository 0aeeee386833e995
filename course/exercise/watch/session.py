"""The loop of a watch: saves, keys and runs come in as events, effects go out."""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from course.base.errors import UserError
from course.base.i18n import _
from course.exercise import practice, progress
from course.exercise import working_copy as copies
from course.exercise.watch import file_watcher
from course.exercise.watch.state import (
    Apply,
    Cancel,
    Effect,
    Ended,
    FixRefused,
    Guessed,
    Heard,
    Hinted,
    LookAround,
    Quit,
    RunEffect,
    Saved,
    State,
    Warming,
    WatchEvent,
    advance,
)
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm

TICK = 0.1
"""Seconds between two drawings while nothing happens: the clock of a run goes on."""
PATIENCE = 5.0
"""Seconds that runs are waited for at the end: they were told to stop."""


class WatchSession:
    """One watch of one file. `draw` is called with the state whenever it may look different.

    `look` opens a prompt in the stopped script of a text, and returns when it is left. Where
    somebody `guesses`, the name of a fault waits for a guess or a hint.
    """

    def __init__(
        self,
        path: Path,
        context: RunContext,
        draw: Callable[[State], None],
        look: Callable[[copies.Copy, RunContext], None] = lambda copy, context: None,
        *,
        guesses: bool = False,
    ) -> None:
        self._guesses = guesses
        self._look_around = look
        self._path = path
        self._looking = threading.Lock()
        self._draw = draw
        self._events: queue.SimpleQueue[WatchEvent | Exception] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._cancelled: dict[int, threading.Event] = {}
        self._threads: list[threading.Thread] = []
        self._over = False
        warm = context.warm
        if warm is not None:
            warm = Warm(warm.runtime, warm.modules, lambda: self.post(Warming()))
        self._context = replace(context, warm=warm)

    def post(self, event: WatchEvent | Exception) -> None:
        """Have an event attended to; from any thread. An exception ends the session."""
        self._events.put(event)

    def run(self) -> State:
        """Watch until told to stop; the last state.

        Raises:
            KeyboardInterrupt: once every run is gone.

        """
        state = State(guesses=self._guesses)
        stamp = file_watcher.stamp(self._path)
        self._look()
        self._start(file_watcher.watch, self._path, self._look, self._stop, stamp)
        try:
            while not self._over:
                state = self._attend(state)
                self._draw(state)
        finally:
            self._stop.set()
            for cancelled in list(self._cancelled.values()):
                cancelled.set()
            deadline = time.monotonic() + PATIENCE
            for thread in self._threads:
                thread.join(max(0.0, deadline - time.monotonic()))
        return state

    def _attend(self, state: State) -> State:
        """Take in all that has happened, waiting a tick for it."""
        waits = True
        while not self._over:
            try:
                event = self._events.get(timeout=TICK) if waits else self._events.get_nowait()
            except queue.Empty:
                break
            waits = False
            if isinstance(event, Exception):
                raise event
            state, effects = advance(state, event)
            for effect in effects:
                self._do(effect)
        return state

    def _do(self, effect: Effect) -> None:
        match effect:
            case RunEffect(number, copy):
                self._cancelled[number] = cancelled = threading.Event()
                self._start(self._run, number, copy, cancelled)
            case Cancel(number):
                self._cancelled[number].set()
            case Hinted(copy, fault, level):
                progress.keep(progress.hinted(progress.of(copy), fault, level))
            case Guessed(copy, fault, is_right):
                progress.keep(progress.guessed(progress.of(copy), fault, is_right=is_right))
            case Apply(copy, fix):
                self._apply(copy, fix)
            case LookAround(copy):
                self._look_around(copy, self._context)
            case Quit():
                self._over = True

    def _apply(self, copy: copies.Copy, fix: practice.Fix) -> None:
        try:
            if not practice.apply(copy, fix):
                self.post(FixRefused())
        except UserError as why:
            self.post(FixRefused(str(why)))
        except OSError as error:
            sentence = _("{path} cannot be written: {reason}.")
            self.post(
                FixRefused(sentence.format(path=f"`{copy.path.name}`", reason=error.strerror))
            )

    def _look(self) -> None:
        """Read the file anew."""
        with self._looking:
            try:
                saved = Saved(copies.read(self._path))
            except UserError as why:
                saved = Saved(None, str(why))
            self.post(saved)

    def _run(self, number: int, copy: copies.Copy, cancelled: threading.Event) -> None:
        done = practice.run(
            copy, self._context, lambda event: self.post(Heard(number, event)), cancelled
        )
        self.post(Ended(number, done))

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        def guarded() -> None:
            try:
                work(*arguments)
            except Exception as error:  # noqa: BLE001 - raised again where it is read
                self.post(error)

        thread = threading.Thread(target=guarded, daemon=True)
        self._threads = [t for t in self._threads if t.is_alive()] + [thread]
        thread.start()
