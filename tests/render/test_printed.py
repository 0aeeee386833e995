"""A script's own lines on terminals of several widths, and in pipes."""

import re
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from course.base import i18n
from course.cli.terminal import live_output
from course.cli.terminal.live_output import OutputPrinter
from course.lesson.warning_note import find_note, warning_notes
from course.render import printed
from course.runs.script_output import NOTHING, LibraryWarning, PrintedLine, ScriptOutput
from tests.render.terminals import console, seen

REPORT = """BertForSequenceClassification LOAD REPORT from: bert-base-uncased
Key                          | Status     |
-----------------------------+------------+-
cls.predictions.bias         | UNEXPECTED |
classifier.weight            | MISSING    |
classifier.bias              | MISSING    |
"""
"""As transformers 5.23 words it."""
COLUMNS = (
    "The following columns in the training set don't have a corresponding argument in"
    " `DistilBertForSequenceClassification.forward` and have been ignored: premise,"
    " hypothesis, idx. If premise, hypothesis, idx are not expected by"
    " `DistilBertForSequenceClassification.forward`,  you can safely ignore this message."
)


def text(page: Console) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", seen(page))


def lines(*texts: str, omitted: int = 0) -> dict[str, Any]:
    found = [{"line": 1, "stream": "stdout", "text": each} for each in texts]
    return {"event": "output", "lines": found, "omitted": omitted}


def warned(message: str, category: str = "WARNING") -> dict[str, Any]:
    what = {"category": category, "message": message, "module": "transformers.x", "count": 1}
    return {"event": "warning", **what}


def run(printer: OutputPrinter, *events: dict[str, Any]) -> None:
    printer.begin()
    for event in events:
        printer.hear(event)
    printer.end()


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(
    "said", ["{'sentence1': 'a'} " * 20, "批次：形状 (8, 62) " * 20, "\tпакет\r\x1b[1mx"]
)
def test_each_row_has_the_bar_and_fits(width: int, said: str) -> None:
    page = console(width)
    printed.own(page, said)
    rows = text(page).splitlines()
    assert all(row.startswith("│ ") and cell_len(row) <= width for row in rows)
    assert "\x1b" not in text(page)
    assert len(rows) > (len(said) > width)


def test_in_a_pipe_a_line_is_one_line() -> None:
    page = console(60, force_terminal=False)
    printed.own(page, "x" * 300)
    assert text(page) == "│ " + "x" * 300 + "\n"
    old = console(60, force_terminal=False, encoding="ascii")
    printed.own(old, "x")
    assert text(old) == "| x\n"


def test_without_colour_the_bar_tells_whose_a_line_is() -> None:
    page = console(no_color=True)
    printed.own(page, "x")
    assert text(page) == "│ x\n"


def test_lines_are_printed_as_they_come() -> None:
    page = console()
    printer = OutputPrinter(page)
    printer.hear(lines("one"))
    assert text(page) == "│ one\n"
    printer.hear(lines("two"))
    printer.end()
    assert text(page) == "│ one\n│ two\n"


def test_a_long_output_keeps_its_ends_and_names_the_file() -> None:
    page = console(120)
    many = [lines(*(str(i) for i in range(at, at + 100))) for at in range(0, 600, 100)]
    run(OutputPrinter(page), *many, {"event": "kept", "file": "/tmp/all.txt"})
    rows = text(page).splitlines()
    first, last = live_output.FIRST, live_output.LAST
    assert rows[:first] == [f"│ {i}" for i in range(first)]
    assert rows[-last:] == [f"│ {i}" for i in range(600 - last, 600)]
    assert rows[first:-last] == [
        f"… {600 - first - last} more lines; all of the output is in /tmp/all.txt."
    ]


def test_a_short_output_names_no_file() -> None:
    page = console()
    run(OutputPrinter(page), lines("x"), {"event": "kept", "file": "/tmp/all.txt"})
    assert text(page) == "│ x\n"


def test_of_several_runs_only_what_is_new_is_printed() -> None:
    page = console()
    printer = OutputPrinter(page)
    run(printer, lines("a", "b"))
    run(printer, lines("a"), lines("b", "c"))
    run(printer, lines("a", "b", "c"))
    run(printer, lines("d"))
    assert text(page).splitlines() == [
        *("│ a", "│ b"),
        *("… 2 lines, the same as in the step before", "│ c"),
        "… 3 lines, the same as in the step before",
        "│ d",
    ]


def test_a_run_that_begins_again_is_printed_again() -> None:
    page = console()
    run(OutputPrinter(page), lines("a"), {"event": "again"}, lines("a", "b"))
    assert text(page).splitlines() == ["│ a", "│ a", "│ b"]


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_warning_that_matters_is_explained_once_where_it_comes(lang: str, width: int) -> None:
    i18n.activate(lang)
    page = console(width)
    printer = OutputPrinter(page)
    run(printer, lines("a"), warned(REPORT), warned(REPORT + " "), lines("b"))
    run(printer, warned(REPORT))
    rows = text(page).splitlines()
    note = warning_notes()["new-weights"]
    assert rows[0] == "│ a"
    told = " ".join(" ".join(rows[1:]).split())
    assert told.startswith("! transformers: classifier.bias | MISSING, classifier.weight | MISSING")
    assert note.text[-10:].replace(" ", "") in told.replace(" ", "")
    assert told.count("MISSING") == 2
    assert all(cell_len(row) <= width for row in rows)


def test_unknown_warnings_are_counted_and_known_harmless_ones_are_not() -> None:
    page = console(120)
    harmless = "Using the latest cached version of the dataset since glue couldn't be found"
    kept = {"event": "kept", "file": "/tmp/all.txt"}
    run(OutputPrinter(page), warned(harmless), warned("odd"), warned("odder"), kept)
    assert text(page) == "2 warnings of libraries are in /tmp/all.txt.\n"


def test_the_columns_that_the_trainer_drops_are_named() -> None:
    note = find_note(COLUMNS)
    assert note is not None
    assert note.id == "dropped-columns"
    assert note.quoted(COLUMNS) == "have been ignored: premise, hypothesis, idx"


@pytest.mark.parametrize(
    ("message", "id_"),
    [
        (
            "Some layers of TFBert were not initialized from the model checkpoint at x and are"
            " newly initialized: ['classifier']\nYou should probably TRAIN this model",
            "new-weights",
        ),
        (
            "Some layers from the model checkpoint at x were not used when initializing TFBert:"
            " ['v']",
            "unused-weights",
        ),
        ("LOAD REPORT\nx | UNEXPECTED |", None),
        ("something else", None),
    ],
)
def test_a_warning_is_known_by_its_words(message: str, id_: str | None) -> None:
    note = find_note(message)
    assert (note and note.id) == id_
    assert note is None or note.quoted(message)


def test_pages_hold_all_that_is_known_the_warnings_last() -> None:
    many = tuple(PrintedLine(str(i)) for i in range(40))
    warning = LibraryWarning("UserWarning", "odd", "x")
    output = ScriptOutput(many[:20], many[20:], 7, (warning,))
    pages = printed.pages(output)
    assert [part for page in pages for part in page] == [*many[:20], 7, *many[20:], warning]
    assert all(len(page) <= printed.PAGE for page in pages)
    assert printed.pages(NOTHING) == []


def test_what_a_script_has_made_up_is_passed_over() -> None:
    page = console()
    broken = [{}, {"event": "output"}, {"event": "output", "lines": [{}], "omitted": "x"}]
    run(OutputPrinter(page), *broken, lines("a"))
    assert text(page) == "│ a\n"
