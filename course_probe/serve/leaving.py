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


def _leave_cycles() -> None:
    main = sys.modules.get("__main__")
    kinds = [value for value in vars(main).values() if isinstance(value, type)] if main else []
    if any(FINALIZER in vars(kind) for kind in kinds):
        return  # The script itself waits for its objects to go.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for each in gc.get_objects():
            if type(each) in WRITING:
                with contextlib.suppress(Exception):
                    each.flush()
    gc.freeze()
