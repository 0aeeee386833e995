"""What the record keeps of an output: bounded, whatever its events are."""

from pathlib import Path
from typing import Any

import pytest

from course.base import paths
from course.runs import process, script_output
from course.runs.process import Run
from course.runs.record import UNREADABLE, RunRecord, parse
from course.runs.script_output import NOTHING, ScriptOutput


def lines(first: int, last: int, omitted: int = 0) -> dict[str, Any]:
    found = [{"line": 3, "stream": "stdout", "text": str(i)} for i in range(first, last)]
    return {"event": "output", "lines": found, "omitted": omitted}


def texts(output: ScriptOutput) -> tuple[list[str], list[str]]:
    return [x.text for x in output.first], [x.text for x in output.last]


def numbers(first: int, last: int) -> list[str]:
    return [str(i) for i in range(first, last)]


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_the_beginning_and_the_end_are_kept_however_lines_come(size: int) -> None:
    output = NOTHING
    for at in range(0, 1000, size):
        output = output.heard(lines(at, min(1000, at + size)))
    assert texts(output) == (numbers(0, 200), numbers(800, 1000))
    assert output.omitted == 600


def test_what_follows_a_gap_is_the_end() -> None:
    output = NOTHING.heard(lines(0, 5)).heard(lines(50, 52, omitted=45)).heard(lines(52, 53))
    assert texts(output) == (numbers(0, 5), numbers(50, 53))
    assert output.omitted == 45


def test_the_latest_count_of_a_warning_counts() -> None:
    event = {"event": "warning", "category": "A", "message": "m", "module": "x", "count": 1}
    output = NOTHING.heard(event).heard({**event, "message": "other"}).heard({**event, "count": 9})
    assert [(w.message, w.count) for w in output.warnings] == [("m", 9), ("other", 1)]
    for number in range(1000):
        output = output.heard({**event, "message": str(number)})
    assert len(output.warnings) == script_output.WARNINGS


@pytest.mark.parametrize(
    "event",
    [
        {"event": "output"},
        {"event": "output", "lines": [3], "omitted": 0},
        {"event": "output", "lines": [], "omitted": "many"},
        {"event": "warning", "message": "m"},
    ],
)
def test_an_event_that_a_script_made_up_makes_a_record_unreadable(event: dict[str, Any]) -> None:
    with pytest.raises(UNREADABLE):
        NOTHING.heard(event)


def test_a_record_has_its_output() -> None:
    record = parse(['{"event": "output", "lines": [], "omitted": 2}', '{"event": "progress"}'])
    assert record.output.omitted == 2
    assert record.status == "died"


def test_each_copy_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))
    one, other = paths.output("/a/ch8-4.py"), paths.output("/b/ch8-4.py")
    assert one != other
    assert one == paths.output("/a/../a/ch8-4.py")
    assert one.name.startswith("ch8-4-")


def test_only_the_newest_files_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "KEPT", 3)
    (tmp_path / "output").write_text("all of it")
    heard: list[dict[str, Any]] = []
    for number in range(5):
        target = tmp_path / "kept" / f"{number}.txt"
        run = process._keep(
            Run(RunRecord("finished"), (), ""), tmp_path / "output", target, heard.append
        )
        assert run.record.output.file == str(target)
    assert heard[-1] == {"event": "kept", "file": str(target)}
    assert len(list((tmp_path / "kept").iterdir())) == 3
    assert target.read_text() == "all of it"


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = Run(RunRecord("finished"), (), "")
    assert process._keep(run, tmp_path / "file", tmp_path / "file" / "x.txt", None) == run
