"""The end of a process that has run a script of somebody's own: as Python's, and sooner.

The interpreter looks through all that there is for cycles when it ends, several times, only to free
memory that the system takes back at once. With a framework imported that is a third of a second.
What a script has registered is called all the same, and what it has left open is written.
"""

import atexit
import contextlib
import gc
import io
import sys
import warnings

WRITING = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)
"""What keeps in memory what was written to it."""
FINALIZER = "__del__"


def leave_sooner() -> None:
    """Have the interpreter end without a search for cycles, once all else that is to be done is.

    What is registered last is called first: so this has to come before the script does.
    """
    atexit.register(_leave_cycles)


def _waits(value: object) -> bool:
    """Whether something is called when a value goes, or one of the class that it is."""
    kind = value if isinstance(value, type) else type(value)
    return kind not in WRITING and any(FINALIZER in vars(each) for each in kind.__mro__)


def _leave_cycles() -> None:
    main = sys.modules.get("__main__")
    if main is not None and any(map(_waits, vars(main).values())):
        return  # What the script has, a bar of its own say, does something when it goes.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for each in gc.get_objects():
            if type(each) in WRITING:
                with contextlib.suppress(Exception):
                    each.flush()
    gc.freeze()
