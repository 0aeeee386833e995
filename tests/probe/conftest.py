"""What the tests of the probe share: an event log that can be read."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from course_probe.event_log import EventLog


@pytest.fixture
def out() -> io.StringIO:
    """Give the stream that `log` writes to."""
    return io.StringIO()


@pytest.fixture
def log(out: io.StringIO, tmp_path: Path) -> EventLog:
    """Give the event log of a run that nobody stops."""
    return EventLog(out, str(tmp_path / "stop"))


def events(out: io.StringIO) -> list[dict[str, Any]]:
    """Read the events that were written."""
    return [json.loads(line) for line in out.getvalue().splitlines()]
