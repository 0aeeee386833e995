"""Notebooks among the submissions: what counts of them is their code, and none of them runs."""

import json
import os
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pytest

from course.exercise.working_copy import CAP
from course.grading.collect import collector, content, timestamp
from course.grading.collect.collector import Collected, counting
from course.grading.collect.found_file import LARGE
from course.grading.collect.submission import REFUSALS
from course.grading.collect.unmatched import refusal
from course.grading.distribute.assignment import Assignment, Student
from course.notebook.cells import generated, script
from course.notebook.cells.notebook import Notebook, NotebookReason
from tests.grading.files import put, zipped
from tests.grading.notebooks import code, data, text

pytestmark = pytest.mark.live  # no framework, but many seconds together

FILE = "ch8-4-pt.ipynb"
ANN = Student("ann", "Ann Lee", "en", ("moodle:657737", "canvas:340934"))
BOB = Student("bob", "Bob Roe", "zh")
GIVEN = Assignment("ann", "ch8-4", "pt", ("nan-loss",), "en", 1, "0" * 64, "notebook")


def gather(place: Path, deadline: datetime | None = None, form: Any = "notebook") -> Collected:
    given = [replace(GIVEN, student=each.id, form=form) for each in (ANN, BOB)]
    return collector.after_all(collector.collect(place, [ANN, BOB], given), deadline, ())


def test_the_submission_is_the_script_that_the_cells_make(tmp_path: Path) -> None:
    prose = {"cell_type": "markdown", "metadata": {}, "source": "# Hello"}
    put(
        tmp_path / "ann" / FILE,
        text("a = 1", prose, code(["b = 2\n", "%matplotlib inline\n", "b"])),
    )
    (only,) = gather(tmp_path).submissions
    assert only.refused is None
    assert only.content.decode().splitlines() == [
        *("# %% [1]", "a = 1", "", "# %% [3]", "b = 2", "pass  # %matplotlib inline", "b"),
    ]


def test_what_a_run_leaves_in_a_notebook_changes_nothing(tmp_path: Path) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "loss " * 500_000}
    put(tmp_path / "ann" / "1" / FILE, text("a = 1"), 3)
    put(tmp_path / "ann" / "2" / FILE, text(code("a = 1", execution_count=7, outputs=[output])), 2)
    put(tmp_path / "ann" / "3" / FILE, text(code(["a = 1"], metadata={"scrolled": True})), 1)
    digests = {each.digest for each in gather(tmp_path).submissions}
    assert len(digests) == 1


def test_cells_of_ours_are_no_part_of_it_until_they_are_edited(tmp_path: Path) -> None:
    ours = code("%load_ext course", metadata=generated.mark("setup", "%load_ext course"))
    put(tmp_path / "ann" / FILE, text(ours, "a = 1"))
    put(tmp_path / "bob" / FILE, text({**ours, "source": "b = 2"}, "a = 1"))
    found = {each.student: each.content for each in gather(tmp_path).submissions}
    assert found == {"ann": b"# %% [2]\na = 1\n", "bob": b"# %% [1]\nb = 2\n\n# %% [2]\na = 1\n"}


@pytest.mark.parametrize("form", ["script", "notebook", "nbgrader"])
def test_either_form_may_come_back_and_the_newer_counts(tmp_path: Path, form: str) -> None:
    put(tmp_path / "ann" / FILE, text("a = 1"), 2)
    put(tmp_path / "ann" / "ch8-4-pt.py", "a = 2\n", 1)
    put(tmp_path / "bob" / "ch8-4-pt.py", "b = 1\n", 2)
    put(tmp_path / "bob" / "ch8-4-pt-Copy1.ipynb", text("b = 2"), 1)
    collected = gather(tmp_path, form=form)
    assert collected.unmatched == ()
    assert len(collected.submissions) == 4
    counted = {key[0]: each.content for key, each in counting(collected.submissions).items()}
    assert counted == {"ann": b"a = 2\n", "bob": b"# %% [1]\nb = 2\n"}


@pytest.mark.parametrize(
    "path",
    [
        f"ann/{FILE}",
        "ann/work.zip",
        f"Ann Lee_657737_assignsubmission_file_/{FILE}",
        f"Ann Lee_657737_assignsubmission_file_{FILE}",
        "leeann_340934_1010_ch8-4-pt-1.ipynb",
        "leeann_340934_1010_work.zip",
        "ann/Copy_of_ch8-4-pt.ipynb",
    ],
)
def test_a_notebook_is_taken_wherever_a_script_is(tmp_path: Path, path: str) -> None:
    said = data("a = 1")
    if path.endswith(".zip"):
        said = zipped({f"x/{FILE}": said, f"x/.ipynb_checkpoints/{FILE}": b"old"})
    put(tmp_path / "folder" / path, said)
    archive = put(tmp_path / "class.zip", zipped({path: said}))
    for place in (tmp_path / "folder", archive):
        collected = gather(place)
        assert [each.content for each in collected.submissions] == [b"# %% [1]\na = 1\n"]
        assert collected.unmatched == ()


def test_pictures_among_the_outputs_take_their_room(tmp_path: Path) -> None:
    png = {"image/png": "A" * 4_000_000}
    picture = {"output_type": "display_data", "metadata": {}, "data": png}
    whole = data(code("a = 1", outputs=[picture] * 4))
    assert CAP < len(whole) < LARGE
    put(tmp_path / "ann" / FILE, whole)
    put(tmp_path / "bob" / "work.zip", zipped({FILE: whole}))
    assert [each.refused for each in gather(tmp_path).submissions] == [None, None]


def nested(depth: int) -> bytes:
    return b'{"cells": ' + b"[" * depth + b"]" * depth + b"}"


HOSTILE: dict[str, tuple[str, bytes]] = {
    "nothing": ("notebook-damaged", b""),
    "a script": ("notebook-damaged", b"print(1)\n"),
    "cut off": ("notebook-damaged", data("a = 1")[:-20]),
    "a list": ("notebook-damaged", b"[]"),
    "nested deeply": ("notebook-damaged", nested(100_000)),
    "brackets only": ("notebook-large", nested(9_000_000)),
    "small lists": ("notebook-large", data("a", metadata={"x": [[]] * 600_000})),
    "a huge number": ("notebook-damaged", data("a").replace(b'": 4', b'": ' + b"4" * 10_000)),
    "an infinite number": ("notebook-damaged", data("a").replace(b'": 4', b'": 1e999999')),
    "a number too many": ("notebook-damaged", data("a").replace(b'": 4', b'": 40')),
    "a key twice": ("notebook-damaged", b'{"cells": [],' + data("a")[1:]),
    "a source that is a number": ("notebook-damaged", data(code(1))),
    "a source that is no list of texts": ("notebook-damaged", data(code(["a\n", ["b"]]))),
    "a source that is none": ("notebook-damaged", data({"cell_type": "code", "metadata": {}})),
    "a cell that is none": ("notebook-damaged", data(["a"])),
    "a kind of cell": ("notebook-damaged", data({**code("a"), "cell_type": ["code"]})),
    "metadata that are none": ("notebook-damaged", data("a", metadata=[])),
    "a merge": ("notebook-conflict", b"<<<<<<< HEAD\n" + data("a") + b"\n>>>>>>> other\n"),
    "an old format": ("notebook-old", data("a", nbformat=3, worksheets=[])),
    "another language": (
        "notebook-kernel",
        data("a", metadata={"kernelspec": {"name": "ir", "language": "R"}}),
    ),
    "no cells": ("notebook-empty", data()),
    "no code": ("notebook-empty", data({"cell_type": "markdown", "metadata": {}, "source": "a"})),
    "a magic": ("notebook-magic", data("%nobody knows")),
    "the shell's answer": ("notebook-shell", data("names = !ls")),
    "a question": ("notebook-input", data("name = input()")),
    "a lone half of a character": ("not-text", data("a = '\\ud800'").replace(b"\\\\u", b"\\u")),
    "a zero": ("not-text", data("a = '\0'")),
    "no UTF-8": ("not-text", text("a").encode("utf-16")),
    "old Cyrillic": ("not-text", text("# курс").encode("cp1251")),
    "much code": ("too-large", data("a = 1\n" * (CAP // 6 + 1))),
    "much Chinese": ("too-large", data("# " + "码" * (CAP // 2))),
    "many magics": ("notebook-magic", data("(\n" + "%x\n" * 300_000)),
    "many cells of magics": ("notebook-magic", data(*["(\n" + "%x\n" * 1_000] * 300)),
    "many cells": ("notebook-large", data("a", *[""] * 100_000)),
}
"""What must be refused, and why."""


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_notebook_is_refused_with_its_reason_and_soon(tmp_path: Path, kind: str) -> None:
    reason, said = HOSTILE[kind]
    place = put(tmp_path / "ann" / FILE, said)
    put(tmp_path / "bob" / "work.zip", zipped({FILE: said}))
    began = time.process_time()
    collected = gather(tmp_path)
    assert time.process_time() - began < 8
    assert {each.student: each.refused for each in collected.submissions} == {
        "ann": reason,
        "bob": reason,
    }
    assert {each.content for each in collected.submissions} == {None}
    assert place.read_bytes() == said


@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_what_is_too_much_for_our_own_program_is_refused_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(_found: Notebook) -> None:
        raise error

    monkeypatch.setattr(script, "of", fail)
    put(tmp_path / "ann" / FILE, text("a = 1"))
    put(tmp_path / "bob" / "ch8-4-pt.py", "b = 1\n")
    found = {each.student: each.refused for each in gather(tmp_path).submissions}
    assert found == {"ann": "notebook-damaged", "bob": None}


def test_a_hundred_megabytes_of_outputs_are_not_read(tmp_path: Path) -> None:
    os.truncate(put(tmp_path / "ann" / FILE, b"{"), 100_000_000)
    put(tmp_path / "bob" / "work.zip", zipped({FILE: bytes(LARGE + 1)}))
    found = {each.student: each.refused for each in gather(tmp_path).submissions}
    assert found == dict.fromkeys(("ann", "bob"), "notebook-large")
    assert refusal("notebook-large").startswith("The notebook is larger than 20 MB")


def test_every_reason_of_a_notebooks_is_a_refusal_that_has_been_tried() -> None:
    assert set(content.REASONS) == set(get_args(NotebookReason))
    tried = {reason for reason, _said in HOSTILE.values()}
    assert {each for each in REFUSALS if each.startswith("notebook-")} <= tried


def test_a_byte_order_mark_and_windows_line_ends_make_no_difference(tmp_path: Path) -> None:
    plain = json.dumps(json.loads(text("a = 1\nb = 2")), indent=1)
    put(tmp_path / "ann" / FILE, plain)
    put(tmp_path / "bob" / FILE, b"\xef\xbb\xbf" + plain.replace("\n", "\r\n").encode())
    assert len({each.content for each in gather(tmp_path).submissions}) == 1


# What nbgrader has collected.


def collected_by_nbgrader(place: Path, student: str, said: str, stamped: str, age: float) -> None:
    folder = place / "submitted" / student / "ch8-4-pt"
    put(folder / FILE, said, age)
    put(folder / "timestamp.txt", stamped, age)
    put(folder / "submission_secret.txt", "0" * 128, age)
    put(folder / "instructions.zh.md", "…", age)
    put(place / "submitted" / student / "ps1" / "ps1.ipynb", text("another = 1"))
    put(place / "submitted" / student / "ps1" / "timestamp.txt", stamped)


def test_nbgraders_folder_tells_when_it_was_handed_in(tmp_path: Path) -> None:
    collected_by_nbgrader(tmp_path, "ann", text("a = 1"), "2026-03-01 12:00:02.123456 UTC", 2)
    collected_by_nbgrader(tmp_path, "bob", text("a = 1"), "2026-03-03 12:00:00 Asia/Shanghai\n", 2)
    collected = gather(tmp_path / "submitted", datetime(2026, 3, 2, tzinfo=UTC), "nbgrader")
    assert collected.unmatched == ()
    assert [(each.student, each.submitted, each.late) for each in collected.submissions] == [
        ("ann", datetime(2026, 3, 1, 12, 0, 2, 123456, UTC), False),
        ("bob", datetime(2026, 3, 3, 4, tzinfo=UTC), True),
    ]


def test_a_notebook_of_another_name_in_nbgraders_folder_is_told(tmp_path: Path) -> None:
    collected_by_nbgrader(tmp_path, "ann", text("a = 1"), "2026-03-01 12:00:00 UTC", 2)
    folder = tmp_path / "submitted" / "ann" / "ch8-4-pt"
    (folder / FILE).rename(folder / "mine.ipynb")
    collected = gather(tmp_path / "submitted", form="nbgrader")
    assert [(each.source, each.reason) for each in collected.unmatched] == [
        ("ann/ch8-4-pt/mine.ipynb", "unknown-file")
    ]


@pytest.mark.parametrize("form", ["script", "notebook"])
def test_nobody_else_is_told_the_time_by_a_file_of_the_students_own(
    tmp_path: Path, form: str
) -> None:
    collected_by_nbgrader(tmp_path, "ann", text("a = 1"), "2001-01-01 00:00:00 UTC", 0)
    deadline = datetime.now(UTC) - timedelta(hours=1)
    collected = gather(tmp_path / "submitted", deadline, form)
    assert [each.late for each in collected.submissions] == [True]


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("2026-03-01 12:00:00.5 UTC", "2026-03-01T12:00:00.500000+00:00"),
        ("2026-03-01 12:00:00", "2026-03-01T12:00:00+00:00"),
        ("2026-03-01 12:00:00 +0300", "2026-03-01T09:00:00+00:00"),
        ("2026-03-01 12:00:00 -03:30", "2026-03-01T15:30:00+00:00"),
        ("2026-03-01 12:00:00 Europe/Moscow", "2026-03-01T09:00:00+00:00"),
        ("", None),
        ("yesterday", None),
        ("2026-13-01 12:00:00 UTC", None),
        ("2026-03-01 12:00:00 Nowhere/City", None),
        ("2026-03-01 12:00:00 ../../etc/passwd", None),
        ("2026-03-01 12:00:00 +9999", None),
        ("0001-01-01 00:00:00 +2300", None),
    ],
)
def test_a_time_is_read_as_nbgrader_writes_it(said: str, moment: str | None) -> None:
    found = timestamp.read(said)
    assert (found.isoformat() if found else None) == moment


def test_a_time_that_cannot_be_read_leaves_the_files_own(tmp_path: Path) -> None:
    collected_by_nbgrader(tmp_path, "ann", text("a = 1"), "never" + " " * 5_000, 2)
    (only,) = gather(tmp_path / "submitted", form="nbgrader").submissions
    assert only.submitted is not None
    assert abs(datetime.now(UTC) - timedelta(hours=2) - only.submitted) < timedelta(minutes=1)
