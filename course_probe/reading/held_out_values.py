"""Values that a script has under names of what it holds out to evaluate on."""

import sys
from typing import Any

from course_probe.reading.held_out_names import HELD_OUT


def is_kept(value: Any) -> bool:
    """Return whether the script has this under a global name of what it keeps for its evaluation.

    Names of functions are not looked at: that would keep alive what is under them.
    """
    known = vars(sys.modules["__main__"])
    names = [name.lower() for name, bound in list(known.items()) if bound is value]
    return any(HELD_OUT.search(name) and "train" not in name for name in names)
