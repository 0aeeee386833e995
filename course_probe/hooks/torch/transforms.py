"""Where PyTorch looks through a network by itself: nothing of ours is to be in it.

`torch.jit.script` reads the source of each function that is called, and knows built-in ones by what
they are; `torch.jit.trace` writes down all that is computed; within `torch.func`'s `vmap`, `grad`
and others a tensor stands for many, and no number of it can be looked at. See
https://docs.pytorch.org/docs/stable/jit.html and https://docs.pytorch.org/docs/stable/func.html.
"""

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from course_probe.event_log import EventLog

PACKAGE = str(Path(__file__).parents[2])
TRACING = ("trace", "trace_module", "_get_trace_graph")
"""What writes down the computations of a network: functions of `torch.jit._trace`."""
NESTING = ("vmap_increment_nesting", "grad_increment_nesting", "jvp_increment_nesting")
"""What a transform of functions begins with: contexts of `torch._functorch`."""
PLACES = ("torch", "torch.nn.functional")
"""Modules in which functions are replaced by ours."""


def hook_scripting(module: ModuleType) -> None:
    """Have `torch.jit._script` compile without us."""
    original = module.script

    @functools.wraps(original)
    def script(*arguments: Any, **named: Any) -> Any:
        with as_they_were():
            return original(*arguments, **named)

    _replace(module, "script", script)


def hook_tracing(module: ModuleType, log: EventLog) -> None:
    """Have `torch.jit._trace` write down a network's own computations alone."""

    def unheard(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def traced(*arguments: Any, **named: Any) -> Any:
            before, log.looking = log.looking, True
            try:
                return original(*arguments, **named)
            finally:
                log.looking = before

        return traced

    for name in TRACING:
        if hasattr(module, name):
            _replace(module, name, unheard(getattr(module, name)))


def _replace(module: ModuleType, name: str, function: Callable[..., Any]) -> None:
    """Put a function in the place of another, in `torch.jit` too if that has been imported."""
    for place in (module, sys.modules.get("torch.jit")):
        if hasattr(place, name):
            setattr(place, name, function)


def hook_functions(module: ModuleType, log: EventLog) -> None:
    """Hear nothing within the transforms of a module of `torch._functorch`."""

    def unheard(original: Callable[..., Any]) -> Callable[..., Any]:
        @contextlib.contextmanager
        @functools.wraps(original)
        def nested(*arguments: Any, **named: Any) -> Iterator[Any]:
            before, log.looking = log.looking, True
            try:
                with original(*arguments, **named) as level:
                    yield level
            finally:
                log.looking = before

        return nested

    for name in NESTING:
        if hasattr(module, name):
            setattr(module, name, unheard(getattr(module, name)))


@contextlib.contextmanager
def as_they_were() -> Iterator[None]:
    """Put back the functions of PyTorch that ours stand in the place of, for a while."""
    ours = [
        (sys.modules[place], name, value)
        for place in PLACES
        for name, value in list(vars(sys.modules[place]).items())
        if isinstance(value, FunctionType)
        and hasattr(value, "__wrapped__")
        and value.__code__.co_filename.startswith(PACKAGE)
    ]
    try:
        for place, name, value in ours:
            setattr(place, name, value.__wrapped__)
        yield
    finally:
        for place, name, value in ours:
            setattr(place, name, value)
