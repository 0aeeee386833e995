"""The event log: what a run writes, how often, and what it may not lose."""

import io
from pathlib import Path
from typing import Any

import pytest

from course_probe.event_log import EVENT_CAP, EventLog, Stopped
from course_probe.events import EndEvent, LineEvent
from tests.probe.conftest import events

END = EndEvent(event="end", seconds=1.0, exit=0)


def figures(out: io.StringIO) -> list[dict[str, Any]]:
    return [event["values"] for event in events(out) if event["event"] == "figures"]


def test_a_look_writes_no_figures(log: EventLog, out: io.StringIO) -> None:
    log.looking = True
    log.write_figures({"passes": 99.0})
    log.looking = False
    log.write_figures({"passes": 1.0})
    assert figures(out) == [{"passes": 1.0}]


def test_a_new_training_forgets_what_the_last_one_measured(log: EventLog, out: io.StringIO) -> None:
    log.write_figures({"passes": 1.0})
    log.write_figures({"texts_in_ids": 2.0}, lasting=True)
    log.begin_training()
    assert figures(out)[2:] == [{"passes": None}]


def test_the_end_is_written_when_nothing_else_may_be(log: EventLog, out: io.StringIO) -> None:
    for _ in range(3):
        log.write(LineEvent(event="line", line=1, text="x" * (EVENT_CAP // 2)))
    log.write(END)
    assert [event["event"] for event in events(out)] == ["line", "end"]
    log.reset_cap()
    log.write(LineEvent(event="line", line=2, text="y"))
    assert events(out)[-1] == {"event": "line", "line": 2, "text": "y"}


def test_of_several_processes_the_main_one_writes(
    log: EventLog, out: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "1")
    log.write(END)
    assert not events(out)
    monkeypatch.setenv("RANK", "0")
    log.write(END)
    assert events(out)


def test_a_run_is_stopped_between_steps_but_a_look_is_not(log: EventLog, tmp_path: Path) -> None:
    log.check_stop()
    (tmp_path / "stop").touch()
    log.looking = True
    log.check_stop()
    log.looking = False
    with pytest.raises(Stopped):
        log.check_stop()
