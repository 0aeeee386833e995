"""Loaded by each Python of the other graders: writes down when the libraries are there, and how
much of the process's time is training. One JSON object a line into `$GRADING_JOURNAL`.
"""

import importlib.util
import json
import os
import sys
import time

WATCHED = "transformers.trainer"


def note(event):
    """Append one event, with the CPU seconds of this process and the seconds of the clock."""
    line = {
        "pid": os.getpid(),
        "event": event,
        "cpu": time.process_time(),
        "wall": time.monotonic(),
    }
    descriptor = os.open(os.environ["GRADING_JOURNAL"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(descriptor, (json.dumps(line) + "\n").encode())
    finally:
        os.close(descriptor)


def watch(module):
    """Have the training written down."""
    original = module.Trainer.train

    def train(self, *values, **named):
        note("train")
        try:
            return original(self, *values, **named)
        finally:
            note("trained")

    module.Trainer.train = train
    note("imported")


class Finder:
    """Lets the module be found by the others, and looks at it once it is loaded."""

    def find_spec(self, name, path=None, target=None):
        """Return the module's own specification, with a loader that calls `watch` afterwards."""
        if name != WATCHED:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            watch(module)

        spec.loader.exec_module = exec_module
        return spec


if "GRADING_JOURNAL" in os.environ:
    sys.meta_path.insert(0, Finder())
