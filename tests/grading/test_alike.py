"""Scripts that are built alike: copies under other names are found, honest work is not."""

import ast
from collections import defaultdict

import pytest

from course.grading.report import alike, doubts
from course.grading.report.code import handed_out
from course.lesson import lesson
from tests.grading.test_report_code import exercise, kinds, register, standing
from tests.honest import corpus
from tests.honest.corpus import HonestSubmission

SUBMISSIONS = [s for s in corpus.submissions() if s.name.endswith(".py")]
BY_HAND = [s for s in SUBMISSIONS if (corpus.FOLDER / "by_hand" / f"{s.id}.py").exists()]


class Renamed(ast.NodeTransformer):
    """Gives all that a script binds another name, and its texts other words."""

    def __init__(self, tree: ast.AST) -> None:
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not _reads(n)}
        names |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        self.names = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)} | names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.other(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self.other(node.arg))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.other(node.name)
        return self.generic_visit(node)

    def other(self, name: str) -> str:
        return f"my_{name}" if name in self.names and name != "self" else name


def _reads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def own(submission: HonestSubmission) -> alike.ScriptStatements:
    part = lesson.load(submission.lesson).parts[submission.framework]
    known = [tuple(text.splitlines()) for text in (part.script, part.text(()))]
    return alike.changed(handed_out.read(submission.content), known)


def renamed(text: str) -> str:
    """Return a script as a copier would: other names, no comments, an output more."""
    tree = ast.parse(text)
    return ast.unparse(ast.fix_missing_locations(Renamed(tree).visit(tree))) + "\nprint('mine')\n"


@pytest.mark.parametrize("submission", BY_HAND, ids=lambda s: s.id)
def test_a_copy_under_other_names_is_found_where_enough_is_the_students_own(
    submission: HonestSubmission,
) -> None:
    text = handed_out.read(submission.content)
    copy = own(
        HonestSubmission("", submission.lesson, submission.framework, "", renamed(text).encode())
    )
    mine = own(submission)
    found = alike.pairs({"one": mine, "other": copy, "third": alike.statements("x = 1")})
    is_much = sum(n * weight for (_text, weight), n in mine.items()) >= alike.ENOUGH
    assert found == ({"one": ["other"], "other": ["one"]} if is_much else {})


@pytest.mark.live
def test_most_of_what_is_written_by_hand_is_enough_to_be_told() -> None:
    much = [s for s in BY_HAND if alike.pairs({"one": own(s), "other": own(s)})]
    assert len(much) > 0.85 * len(BY_HAND)


@pytest.mark.live
def test_honest_scripts_that_share_no_variation_are_not_built_alike() -> None:
    by_lesson: dict[tuple[str, str], dict[str, alike.ScriptStatements]] = defaultdict(dict)
    for each in SUBMISSIONS:
        by_lesson[each.lesson, each.framework][each.id] = own(each)
    told = 0
    for found in by_lesson.values():
        for one, others in alike.pairs(found).items():
            for other in others:
                told += 1
                assert "own-model" in one, other
                assert "own-model" in other, one
    # Those that do share one, a whole class letter by letter, are told.
    assert told > 0
    assert sum(map(len, by_lesson.values())) > 200


def test_what_many_of_a_class_write_is_no_copy() -> None:
    mine = own(BY_HAND[0])
    assert alike.pairs({"a": mine, "b": mine, "c": mine}) != {}
    assert alike.pairs(dict.fromkeys("abcd", mine)) == {}


@pytest.mark.parametrize(
    "text", ["def (", "x = '" + "\0", "(" * 5_000, "-" * 90_000 + "1", "x=1\n" * 40_000]
)
def test_what_cannot_be_read_is_like_nothing(text: str) -> None:
    assert alike.statements(text) == {}


def test_the_teacher_reads_whose_scripts_are_built_alike_and_that_it_may_be_chance() -> None:
    text = handed_out.read(next(s for s in BY_HAND if s.id == "ch8-4-pt-counting-by-hand").content)
    first, second, third = (standing(n) for n in range(3))
    found = ((first, text), (second, renamed(text)), (third, exercise()))
    assert [k for k in kinds(*found)["s00"] if k in ("twin", "alike")] == ["alike"]
    whole = register(*found)
    _who, why = doubts.uncertain(whole.groups[0], whole)[0]
    assert "Student 1" in why[-1].text
    assert "may be chance" in why[-1].text
    # Letter by letter the same is said once.
    same = kinds((first, text), (second, text), (third, exercise()))
    assert [k for k in same["s00"] if k in ("twin", "alike")] == ["twin"]
