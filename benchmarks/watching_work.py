"""What watching a step takes, counted: ``python benchmarks/watching_work.py [--passes N]``

On a machine that others use too, the time of a step varies more than what watching adds to it. The
bytecodes that Python executes do not: those of `course_probe` are counted beside all others (the
script's own, and those of PyTorch), in the loop of `watching.py --small`, after so many passes over
its data. What is not in it: work of C alone, which the calls of C functions stand for, and what is
written at times (a tracer is slow, so that it comes at every step here).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from watching import SMALL

from course_probe.event_log import EventLog
from course_probe.exception_report import OwnFolder
from course_probe.ledger.instrument import LedgerInstrument

COUNTED = 2
"""Passes over the data that are counted."""
STEPS = 63
"""Steps of one."""
PROBE = "course_probe"


class Work:
    """What is executed, by whether the probe does it."""

    def __init__(self) -> None:
        self.bytecodes: Counter[bool] = Counter()
        self.calls: Counter[bool] = Counter()

    def trace(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        """Begin to count what a function executes."""
        is_probe = PROBE in frame.f_code.co_filename
        frame.f_trace_opcodes = True

        def counted(_frame: FrameType, event: str, _argument: Any) -> Any:
            self.bytecodes[is_probe] += event == "opcode"
            return counted

        return counted

    def profile(self, frame: FrameType, event: str, _argument: Any) -> None:
        """Count the calls of functions that are no Python."""
        self.calls[PROBE in frame.f_code.co_filename] += event == "c_call"


def main() -> None:
    """Train for some passes, count two more, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--passes", type=int, default=24)
    options = parser.parse_args()
    work = Work()
    head, loop = SMALL.split("for _epoch in range(150):\n")
    body = f"def one_pass():\n    global loss\n{loop.partition('print(')[0]}"
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryFile("w") as journal:
        log = EventLog(journal, str(Path(place) / "stop"))
        script = Path(place) / "script.py"
        own = OwnFolder(script, script.parent)
        LedgerInstrument(log, own, lambda *_error, **_named: None).install()
        exec(compile(head + body, str(script), "exec"), names)
        for number in range(options.passes + COUNTED):
            if number == options.passes:
                sys.settrace(work.trace)
                sys.setprofile(work.profile)
            names["one_pass"]()
        sys.settrace(None)
        sys.setprofile(None)
    print("| a step of | bytecodes | calls of C functions |\n| --- | ---: | ---: |")
    for is_probe, name in ((False, "the script and its libraries"), (True, "the probe")):
        counts = (each[is_probe] / COUNTED / STEPS for each in (work.bytecodes, work.calls))
        print(f"| {name} | {' | '.join(f'{count:.0f}' for count in counts)} |")


if __name__ == "__main__":
    main()
