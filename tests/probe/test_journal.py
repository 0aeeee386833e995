"""The journal: what a run writes, how often, and what it may not lose."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from course.probe.journal import CAP, Journal, Stopped

NEVER_AGAIN = 3600.0


@pytest.fixture
def out() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def journal(out: io.StringIO, tmp_path: Path) -> Journal:
    return Journal(out, str(tmp_path / "stop"))


def events(out: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def figures(out: io.StringIO) -> list[dict[str, Any]]:
    return [event["values"] for event in events(out) if event["event"] == "figures"]


def test_the_last_figures_are_told_although_they_came_too_soon(
    journal: Journal, out: io.StringIO
) -> None:
    for passes in (1.0, 2.0, 3.0):
        journal.measure("passes", NEVER_AGAIN, {"passes": passes})
    assert figures(out) == [{"passes": 1.0}]
    journal.tell_last_figures()
    assert figures(out) == [{"passes": 1.0}, {"passes": 3.0}]
    journal.tell_last_figures()
    assert len(figures(out)) == 2


def test_each_source_has_a_pace_of_its_own(journal: Journal, out: io.StringIO) -> None:
    journal.measure("passes", NEVER_AGAIN, {"passes": 1.0})
    journal.measure("schedule", NEVER_AGAIN, {"steps": 1.0})
    assert figures(out) == [{"passes": 1.0}, {"steps": 1.0}]


def test_figures_that_were_written_are_not_written_again(
    journal: Journal, out: io.StringIO
) -> None:
    journal.measure("passes", NEVER_AGAIN, {"passes": 1.0})
    journal.measure("passes", NEVER_AGAIN, {"passes": 2.0})
    journal.measure("passes", 0.0, {"passes": 3.0})
    journal.tell_last_figures()
    assert figures(out) == [{"passes": 1.0}, {"passes": 3.0}]


def test_a_look_neither_tells_figures_nor_takes_the_runs_away(
    journal: Journal, out: io.StringIO
) -> None:
    journal.measure("passes", NEVER_AGAIN, {"passes": 1.0})
    journal.measure("passes", NEVER_AGAIN, {"passes": 2.0})
    journal.looking = True
    journal.measure("passes", 0.0, {"passes": 99.0})
    journal.looking = False
    journal.tell_last_figures()
    assert figures(out) == [{"passes": 1.0}, {"passes": 2.0}]


def test_a_new_training_forgets_what_the_last_one_measured(
    journal: Journal, out: io.StringIO
) -> None:
    journal.measure("passes", NEVER_AGAIN, {"passes": 1.0, "texts_in_ids": 2.0})
    journal.measure("passes", NEVER_AGAIN, {"passes": 2.0})
    journal.forget()
    journal.tell_last_figures()
    assert figures(out)[1:] == [{"passes": None}]


def test_the_end_is_written_when_nothing_else_may_be(journal: Journal, out: io.StringIO) -> None:
    for _ in range(3):
        journal.write("log", text="x" * (CAP // 2))
    journal.write("end", status="done")
    assert [event["event"] for event in events(out)] == ["log", "end"]
    journal.renew()
    journal.write("log", text="y")
    assert events(out)[-1] == {"event": "log", "text": "y"}


def test_of_several_processes_the_main_one_writes(
    journal: Journal, out: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "1")
    journal.write("end")
    assert not events(out)
    monkeypatch.setenv("RANK", "0")
    journal.write("end")
    assert events(out)


def test_a_run_is_stopped_between_steps_but_a_look_is_not(journal: Journal, tmp_path: Path) -> None:
    journal.check_stop()
    (tmp_path / "stop").touch()
    journal.looking = True
    journal.check_stop()
    journal.looking = False
    with pytest.raises(Stopped):
        journal.check_stop()
