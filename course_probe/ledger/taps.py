"""The taps of plain PyTorch: passes of networks, what is sent backward, steps of optimizers.

Replaced are `Module.__call__` and `load_state_dict`, autograd's one inner entry and
`LRScheduler.step`, since no public hook sees what is called by name, what is loaded, a loss, or a
schedule; the steps are heard by the optimizers' own global hooks.
"""

import functools
import sys
import threading
from collections.abc import Callable, Mapping
from types import CodeType, FrameType, ModuleType
from typing import Any

from course_probe.after_import import call_after_import
from course_probe.event_log import EventLog
from course_probe.exception_report import Own
from course_probe.guard import counted, noted
from course_probe.hooks.backward import ENTRY, within_backward
from course_probe.ledger import transforms
from course_probe.ledger.ledger import Ledger

DEEP = 40
"""Frames above a call that are looked through for a line of the script's own."""
MOST_LINES = 1_000
"""Places of the script's own whose line is kept."""
PATIENCE = 0.2
"""Seconds between two looks whether the reader wants no more."""
Number = Callable[[FrameType], int]


def line_of(frame: FrameType) -> int:
    """Return the line that a frame is at, where one text is the script."""
    return frame.f_lineno


class Taps:
    """Tells a ledger what one script does, in the thread that has called a network first.

    From the next call on it may be another `ledger`.
    `number` gives the line of a frame, where several texts are one script.
    """

    def __init__(self, ledger: Ledger, own: Own, log: EventLog, number: Number) -> None:
        self.ledger = ledger
        self._own = own
        self._log = log
        self._number = number
        self._thread = 0
        self._inside = False
        self._lines: dict[tuple[int, int], tuple[int, CodeType]] = {}

    def install(self) -> None:
        """Hear what PyTorch does, once it is imported."""
        hooks: dict[str, Callable[[ModuleType], object]] = {
            "torch": self._hook_torch,
            "torch.optim.optimizer": self._hook_optimizers,
            "torch.optim.lr_scheduler": self._hook_schedules,
        }
        for name, hook in hooks.items():
            call_after_import(name, hook)

    def _hook_torch(self, torch: ModuleType) -> None:
        self._hook_calls(torch)
        self._hook_loads(torch)
        self._hook_engine(torch)

    def _hook_calls(self, torch: ModuleType) -> None:
        kind = torch.nn.Module
        original = kind.__call__
        is_compiling, is_looked_through = torch.compiler.is_compiling, transforms.looker(torch)
        is_again, compiler = within_backward(), transforms.compiler(torch)
        is_enabled, ident = torch.is_grad_enabled, threading.get_ident
        kinds_of_loss, log, getframe = torch.nn.modules.loss._Loss, self._log, sys._getframe

        def called(model: Any, *arguments: Any, **named: Any) -> Any:
            # Nothing before this: PyTorch looks through this function, too.
            if is_compiling() or compiler():
                return original(model, *arguments, **named)
            if self._inside or log.looking or isinstance(model, kinds_of_loss):
                return original(model, *arguments, **named)
            if arguments and isinstance(arguments[0], kind):
                # A loss that asks the network by itself.
                return original(model, *arguments, **named)
            if is_looked_through() or is_again():
                return original(model, *arguments, **named)
            if ident() != self._thread and self._is_elsewhere():
                return original(model, *arguments, **named)
            if self.ledger.looking or self.ledger.is_awaited:
                noted(self.ledger.begin_pass, model)
            self._inside = True
            try:
                outputs = original(model, *arguments, **named)
            finally:
                self._inside = False
            line = self._line(getframe(1))
            noted(self.ledger.end_pass, model, arguments, named, outputs, line, grad=is_enabled())
            return outputs

        kind.__call__ = functools.wraps(original)(called)
        if compiler is not transforms.nobody:
            code = called.__code__
            call_after_import("torch._dynamo.eval_frame", lambda module: module.skip_code(code))

    def _hook_loads(self, torch: ModuleType) -> None:
        kind = torch.nn.Module
        original = kind.load_state_dict

        @functools.wraps(original)
        def loaded(model: Any, given: Any, *arguments: Any, **named: Any) -> Any:
            if isinstance(given, dict) and not (self._log.looking or self._is_elsewhere()):
                noted(self.ledger.note_load, model, given, self._line(sys._getframe(1)))
            left = original(model, given, *arguments, **named)
            if isinstance(given, dict) and not (self._log.looking or self._is_elsewhere()):
                noted(self.ledger.note_fit, model, given, left, self._line(sys._getframe(1)))
            return left

        kind.load_state_dict = loaded

    def _hook_engine(self, torch: ModuleType) -> None:
        autograd: Any = torch.autograd
        original = getattr(autograd, ENTRY)
        is_again, log = within_backward(), self._log
        ident, getframe = threading.get_ident, sys._getframe

        @functools.wraps(original)
        def sent(roots: Any, *arguments: Any, **named: Any) -> Any:
            if is_again() or log.looking or (ident() != self._thread and self._is_elsewhere()):
                return original(roots, *arguments, **named)
            if not named.get("accumulate_grad", True):
                # The script itself may do with these gradients what a backward does.
                self.ledger.asked += 1
                return original(roots, *arguments, **named)
            log.check_stop(PATIENCE)
            root = roots[0] if isinstance(roots, tuple | list) and roots else roots
            noted(self.ledger.begin_backward, root, self._line(getframe(1)))
            found = original(roots, *arguments, **named)
            if self.ledger.looking:
                noted(self.ledger.end_backward)
            return found

        setattr(autograd, ENTRY, sent)

    def _hook_optimizers(self, module: ModuleType) -> None:
        log, ident, getframe = self._log, threading.get_ident, sys._getframe

        def before(optimizer: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
            if log.looking or (ident() != self._thread and self._is_elsewhere()):
                return
            ledger, closure = self.ledger, False
            if len(arguments) > 1 or named:
                closure = any(each is not None for each in (*arguments[1:], *named.values()))
            known = ledger.optimizers.get(id(optimizer))
            is_known = known is not None and known.itself() is optimizer
            if ledger.looking or closure or not is_known:
                # Any other step is noted once it is taken.
                frame = getframe(1)
                note = noted if ledger.looking else counted
                note(ledger.begin_step, optimizer, lambda: self._line(frame), closure=closure)

        def after(optimizer: Any, _arguments: Any, _named: Any) -> None:
            if not (log.looking or (ident() != self._thread and self._is_elsewhere())):
                ledger = self.ledger
                (noted if ledger.looking else counted)(ledger.end_step, optimizer)

        module.register_optimizer_step_pre_hook(before)
        module.register_optimizer_step_post_hook(after)

    def _hook_schedules(self, module: ModuleType) -> None:
        kind = module.LRScheduler
        original = kind.step

        @functools.wraps(original)
        def called(schedule: Any, *arguments: Any, **named: Any) -> Any:
            if not (self._log.looking or self._is_elsewhere()):
                place = named.get("epoch", *arguments[:1])
                noted(self.ledger.note_schedule, schedule, place)
            return original(schedule, *arguments, **named)

        kind.step = called

    def _is_elsewhere(self) -> bool:
        """Whether another thread is at work than the one that is listened to."""
        here = threading.get_ident()
        self._thread = self._thread or here
        return here != self._thread

    def _line(self, frame: FrameType | None) -> int:
        """Return the line of the script's own that a call comes from; 0 where none does."""
        has = self._own.has
        for _level in range(DEEP):
            if frame is None:
                break
            if has(frame):
                # A line is counted from the beginning of its function each time, and a code's hash
                # of all that is in it.
                place = (id(frame.f_code), frame.f_lasti)
                known = self._lines.get(place)
                if known is None:
                    known = (self._number(frame), frame.f_code)
                    if len(self._lines) < MOST_LINES:
                        self._lines[place] = known
                return known[0]
            frame = frame.f_back
        return 0
