"""The event log: what a run writes, how often, and what it may not lose."""

import io
from pathlib import Path
from typing import Any

import pytest

from course_probe.event_log import EVENT_CAP, EventLog, Stopped
from course_probe.events import EndEvent, LineEvent
from tests.probe.conftest import events

NEVER_AGAIN = 3600.0
END = EndEvent(event="end", seconds=1.0, exit=0)


def figures(out: io.StringIO) -> list[dict[str, Any]]:
    return [event["values"] for event in events(out) if event["event"] == "figures"]


def test_the_last_figures_are_written_although_they_came_too_soon(
    log: EventLog, out: io.StringIO
) -> None:
    for passes in (1.0, 2.0, 3.0):
        log.measure("passes", NEVER_AGAIN, {"passes": passes})
    assert figures(out) == [{"passes": 1.0}]
    log.flush()
    assert figures(out) == [{"passes": 1.0}, {"passes": 3.0}]
    log.flush()
    assert len(figures(out)) == 2


def test_each_source_has_a_pace_of_its_own(log: EventLog, out: io.StringIO) -> None:
    log.measure("passes", NEVER_AGAIN, {"passes": 1.0})
    log.measure("schedule", NEVER_AGAIN, {"steps": 1.0})
    assert figures(out) == [{"passes": 1.0}, {"steps": 1.0}]


def test_figures_that_were_written_are_not_written_again(log: EventLog, out: io.StringIO) -> None:
    log.measure("passes", NEVER_AGAIN, {"passes": 1.0})
    log.measure("passes", NEVER_AGAIN, {"passes": 2.0})
    log.measure("passes", 0.0, {"passes": 3.0})
    log.flush()
    assert figures(out) == [{"passes": 1.0}, {"passes": 3.0}]


def test_a_look_neither_writes_figures_nor_takes_the_runs_away(
    log: EventLog, out: io.StringIO
) -> None:
    log.measure("passes", NEVER_AGAIN, {"passes": 1.0})
    log.measure("passes", NEVER_AGAIN, {"passes": 2.0})
    log.looking = True
    log.measure("passes", 0.0, {"passes": 99.0})
    log.looking = False
    log.flush()
    assert figures(out) == [{"passes": 1.0}, {"passes": 2.0}]


def test_a_new_training_forgets_what_the_last_one_measured(log: EventLog, out: io.StringIO) -> None:
    log.measure("passes", NEVER_AGAIN, {"passes": 1.0})
    log.measure("passes", NEVER_AGAIN, {"passes": 2.0})
    log.write_figures({"texts_in_ids": 2.0}, lasting=True)
    log.begin_training()
    log.flush()
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
