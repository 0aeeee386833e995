"""The proof fails when a lesson does not hold what it promises; no framework is needed for that."""

from pathlib import Path

import pytest

from course.authoring import proof
from course.errors import ContentError
from course.lesson.bug import Bug, Edit
from course.lesson.lesson import Online, Outcome, Part, Step
from course.run.hub import Hub
from course.run.place import Place
from course.run.runtime import Runtime


def part(tmp_path: Path, *bugs: tuple[str, str, str], script: str) -> Part:
    """A lesson whose bugs are (fault, buggy text, healthy text)."""
    path = tmp_path / "exercise.py"
    made = tuple(Bug(fault, (Edit(buggy, healthy),), "") for fault, buggy, healthy in bugs)
    steps = [Step(b.fault, b.fault, "", made[i:], b) for i, b in enumerate(made)]
    return Part(
        lesson="tiny",
        framework="pt",
        path=path,
        script=script,
        video=None,
        requires=(),
        imports=(),
        bugs=made,
        steps=(*steps, Step("healthy", None, "", (), None)),
        looks=(),
        outcome=Outcome("accuracy", 0.2, 2, 10, 10),
        online=Online(Bug("online", (), ""), Outcome("accuracy", 0.1, 2, 10, 10)),
    )


def problems(part: Part, runtime: Runtime) -> dict[tuple[str, ...], str | None]:
    results = proof.prove(part, Place(runtime, Hub("embedded")), jobs=2)
    return {r.bugs: r.problem for r in results}


def test_a_bug_that_bites_with_its_own_fault_holds(tmp_path: Path, bare: Runtime) -> None:
    lesson = part(tmp_path, ("missing-import", "#np = 1", "np = 1"), script="#np = 1\nprint(np)\n")
    assert problems(lesson, bare) == {("missing-import",): None, (): "no-training"}


@pytest.mark.parametrize(
    ("fault", "script", "problem"),
    [
        ("missing-import", "x = 1\n#bug\n", "no-failure"),
        ("length-mismatch", "print(np)\n#bug\n", "other-fault"),
        ("missing-import", "1 / 0\n#bug\n", "unknown"),
        ("missing-import", "import os; os._exit(0)\n#bug\n", "died"),
    ],
)
def test_a_bug_that_does_not_is_found(
    tmp_path: Path, bare: Runtime, fault: str, script: str, problem: str
) -> None:
    found = problems(part(tmp_path, (fault, "#bug", "#none"), script=script), bare)
    assert found[(fault,)] == problem


def test_a_bug_that_hides_behind_another_is_found(tmp_path: Path, bare: Runtime) -> None:
    """The order in the file says which bites first; here the second does."""
    script = "#tf = 1\n#np = 1\nprint(np)\nint(tf)\n"
    lesson = part(
        tmp_path,
        ("length-mismatch", "#tf = 1", "tf = 1"),
        ("missing-import", "#np = 1", "np = 1"),
        script=script,
    )
    found = problems(lesson, bare)
    assert found[("length-mismatch", "missing-import")] == "other-fault"
    assert found[("missing-import",)] is None


def test_bugs_that_tread_on_each_other_are_found(tmp_path: Path) -> None:
    lesson = part(tmp_path, ("a", "x = 1", "x = 2"), ("b", "x = 1", "x = 3"), script="x = 1\n")
    with pytest.raises(ContentError, match="b: 'x = 1' stands 0 times"):
        proof.reversible(lesson)


def test_an_edit_that_cannot_be_undone_is_found(tmp_path: Path) -> None:
    lesson = part(tmp_path, ("a", "x = 1", "y"), script="x = 1\ny = 2\n")
    with pytest.raises(ContentError, match="a: 'y' stands 2 times"):
        proof.reversible(lesson)
