"""An exception goes to a hook of the script's own; then words are said that nobody waited for."""
# leaves early

import atexit
import gc
import sys
import threading
import time


class Held:
    def __init__(self, name):
        self.name = name
        self.itself = self

    def __del__(self):
        sys.stdout.write(f"{self.name} is gone\n")


def told(kind, error, tb):
    levels = []
    while tb is not None:
        levels.append(tb.tb_frame.f_code.co_name)
        tb = tb.tb_next
    print("by a hook:", kind.__name__, error, levels, repr(error.__context__), file=sys.stderr)


def later():
    time.sleep(0.2)
    print("said by a thread, after the end")


sys.excepthook = told
atexit.register(print, "registered")
first, second = Held("first"), Held("second")
gc.collect()
del second
threading.Thread(target=later).start()


def fail(number):
    try:
        return {}[number]
    except KeyError:
        raise OSError(number)  # noqa: B904


fail(3)
