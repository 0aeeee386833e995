"""Where PyTorch looks through a network by itself: nothing of ours is to be in it.

`torch.compile` and `torch.export` follow each function that is called, `torch.jit.trace` and
`torch.fx` write down all that is computed, and within `torch.func`'s `vmap`, `grad` and others a
tensor stands for many. A dispatch mode is shown each operation, ours too. See
https://docs.pytorch.org/docs/stable/torch.compiler.html and https://docs.pytorch.org/docs/stable/jit.html.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def looker(torch: ModuleType) -> Callable[[], bool]:
    """Return a function that tells whether PyTorch traces or transforms what is called just now.

    What is being compiled is told by `torch.compiler.is_compiling`, which it knows itself.
    """
    core: Any = torch._C
    is_tracing = core._is_tracing
    modes = core._len_torch_dispatch_stack
    level: Callable[[], Any] = getattr(core._functorch, "peek_interpreter_stack", lambda: None)
    graphs: Any = sys.modules.get("torch.fx._symbolic_trace")
    # A flag of the module; since PyTorch 2.15 one of each thread.
    of_thread = getattr(graphs, "_get_is_fx_tracing", None)
    is_traced = of_thread or (lambda: getattr(graphs, "_is_fx_tracing_flag", False))

    def is_looked_through() -> bool:
        return bool(is_tracing() or level() is not None or modes() or is_traced())

    return is_looked_through


def nobody() -> None:
    """Tell of no compiler: this PyTorch does not say."""


def compiler(torch: ModuleType) -> Callable[[], Any]:
    """Return a function that tells who compiles what is called just now, if anybody does.

    A compiled graph begins with the first function that is not skipped. That one is to be the
    script's, so that names, errors and counts of the compiler are of it: what stands before a pass
    is skipped there, and runs as it is, with the compiler looking at all that is called from it.
    """
    frames = getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
    return getattr(frames, "get_eval_frame_callback", nobody)
