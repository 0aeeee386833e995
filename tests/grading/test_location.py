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


@pytest.mark.parametrize(
    ("place", "told"),
    [({"line": 3, "cell": 12}, "Cell 12, line 3: "), ({"line": 3}, "Line 3: ")],
)
def test_students_are_told_the_line_or_the_cell_and_the_line_in_it(
    place: dict[str, int], told: str
) -> None:
    fault = NewFault(None, "NameError", "name 'a' is not defined", **place)
    assert feedback.new_fault(fault) == f"{told}A new fault: NameError: name 'a' is not defined"
    syntax = note.describe_note(GradeNote("syntax", place))
    assert syntax == f"{told}This line is not valid Python."
    tampering = GradeNote("tampering", {**place, "what": "sys.modules"})
    assert note.describe_note(tampering).startswith(f"{told}This line accesses internal data")
