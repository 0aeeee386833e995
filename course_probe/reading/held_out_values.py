"""Values that a script has under names of what it holds out to evaluate on; floats at hand."""

import sys
from typing import Any

from course_probe.reading.held_out_names import HELD_OUT


def is_kept(value: Any) -> bool:
    """Whether the script has this under a global name of what it keeps for its evaluation.

    Names of functions are not looked at: that would keep alive what is under them.
    """
    known = vars(sys.modules["__main__"])
    names = [name.lower() for name, bound in list(known.items()) if bound is value]
    return any(HELD_OUT.search(name) and "train" not in name for name in names)


def floats_at_hand() -> list[Any]:
    """The tensors of numbers with a fraction that the script has under global names."""
    torch = sys.modules["torch"]
    values = list(vars(sys.modules["__main__"]).values())
    return [v for v in values if type(v) is torch.Tensor and v.is_floating_point()]
