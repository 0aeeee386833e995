"""Where a line of a submission stands, as its author sees it."""

import pytest

from course.grading import location, note
from course.grading.grade import GradeNote, NewFault
from course.grading.report import feedback
from course.notebook.cells import notebook, script
from tests.grading import notebooks

PROSE = {"cell_type": "markdown", "metadata": {}, "source": "# Title"}


def test_every_line_of_a_notebooks_script_is_found_again_in_its_cell() -> None:
    text = notebooks.text(PROSE, "a = 1\nb = 2", PROSE, "display(a)\n\n\n", "c = '''\n%x\n'''\nd")
    made = script.of(notebook.read(text, "a.ipynb"))
    found = 0
    for line in range(1, made.text.count("\n") + 1):
        place = made.place(line)
        if place is not None:
            assert location.find(made.text, line) == {"line": place[1], "cell": place[0]}
            found += 1
    assert found == 9


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_line_of_a_script_is_itself(ends: str) -> None:
    text = "# %%\na = 1\n# %% [markdown]\n# # Title\nb = 2\n".replace("\n", ends)
    assert [location.find(text, n) for n in (1, 2, 5, 99)] == [{"line": n} for n in (1, 2, 5, 99)]


def test_students_are_told_the_cell_and_the_line_in_it() -> None:
    fault = NewFault(None, "NameError", "name 'a' is not defined", 3, 12)
    assert feedback.new_fault(fault) == (
        "Line 3 of cell 12: A new fault: NameError: name 'a' is not defined"
    )
    figures = {"line": 3, "cell": 12}
    assert (
        note.describe_note(GradeNote("syntax", figures))
        == "Line 3 of cell 12: This line is not valid Python."
    )
    tampering = GradeNote("tampering", {**figures, "what": "sys.modules"})
    assert note.describe_note(tampering).startswith(
        "Line 3 of cell 12: This line accesses the internals"
    )


def test_of_a_script_the_line_alone_is_told() -> None:
    assert feedback.new_fault(NewFault(None, "NameError", None, 3)).startswith(
        "Line 3: A new fault: NameError"
    )
    told = note.describe_note(GradeNote("syntax", {"line": 3}))
    assert told == "Line 3: This line is not valid Python."
