"""The probe's types are real: a wrong call across its modules, or a misspelt event, is an error."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live
ROOT = Path(__file__).parents[2]

SNIPPET = """
from course.runs.record import Builder
from course_probe.after_import import AfterImport
from course_probe.event_log import EventLog
from course_probe.events import EndEvent, LossEvent

AfterImport(1, 2, 3, nonsense=4).no_such_method()
LossEvent(event="loss", step=1, average="0.7")
LossEvent(event="lost", step=1, mean="0.7")


def write(log: EventLog, builder: Builder) -> None:
    log.write("end", seconds=1.0, exit=0)
    log.write({"event": "end", "seconds": 1.0})
    builder.add({"event": "end", "seconds": "1.0", "exit": 0})
    log.write(EndEvent(event="end", seconds=1.0, exit=0))
"""
WRONG = {7, 8, 9, 13, 14, 15}
"""Lines of the snippet, from 1 on."""


def test_a_wrong_call_and_a_misspelt_event_are_errors(tmp_path: Path) -> None:
    snippet = tmp_path / "snippet.py"
    snippet.write_text(SNIPPET)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(snippet)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = {
        int(line.split(":")[1])
        for line in done.stdout.splitlines()
        if "snippet.py:" in line and ": error:" in line
    }
    assert found == WRONG, done.stdout + done.stderr
