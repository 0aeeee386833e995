"""What a student asks about a mark, and what a teacher says of one, or of all of a kind."""

import json
from pathlib import Path

import pytest

from course.base import i18n
from course.base.errors import UserError
from course.grading.collect.asked import AskedQuestion
from course.grading.gradebook.gradebook import Gradebook
from course.grading.report import class_results, doubts, feedback
from course.grading.report.class_results import Register
from course.grading.report.page import page
from course.grading.student_result import StudentResult
from tests import documents
from tests.command import inside
from tests.grading.test_report_command import fill

ASKED = AskedQuestion(("s02", "ch8-4", "pt"), "Why 2 points? `x` <b>")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "gradebook.db"
    fill(path)
    return path


def comment(book: Path, *words: object, who: str | None = "Chen", **options: object) -> None:
    inside("class", "comment", book, *words, who=who, **options)


def read(book: Path) -> Register:
    with Gradebook.open(book, readonly=True) as opened:
        return class_results.of(opened.standings(), opened.sessions())


def standing(book: Path, student: str) -> StudentResult:
    return next(s for s in read(book).standings if s.student.id == student)


def ask(book: Path, *questions: AskedQuestion) -> list[AskedQuestion]:
    with Gradebook.open(book) as opened:
        return opened.keep_questions(questions)


def scores(book: Path) -> dict[str, float | None]:
    return {s.student.id: s.score for s in read(book).standings}


def test_points_for_a_reason_go_to_all_who_share_it_and_come_back(book: Path) -> None:
    before = scores(book)
    sharing = [
        s.student.id
        for s in read(book).standings
        if (grade := s.grade)
        and "healthy:below" in grade.reasons
        # The teacher's own mark stands whatever comments add.
        and s.override is None
    ]
    assert len(sharing) > 1
    comment(book, "healthy:below", "It was argmax.", points="0.5")
    after = scores(book)
    assert {who for who in before if before[who] != after[who]} == set(sharing)
    assert all(after[who] == (before[who] or 0) + 0.5 for who in sharing)
    comment(book, "healthy:below", remove=True)
    assert scores(book) == before


def test_comments_stay_between_nothing_and_all_there_is(book: Path) -> None:
    comment(book, "s02", "much", points=100)
    grade = standing(book, "s02").grade
    assert standing(book, "s02").score == grade.max_score
    comment(book, "s02", "less", points=-1000)
    assert standing(book, "s02").score == 0
    # What has no mark gets none by a comment.
    comment(book, "s08", "a pity", points=1)
    assert standing(book, "s08").score is None


def test_a_question_is_first_until_it_is_answered(book: Path) -> None:
    assert ask(book, ASKED, ASKED) == [ASKED]
    assert ask(book, ASKED) == []
    register = read(book)
    first, why = doubts.uncertain(register.groups[0], register)[0]
    assert (first.student.id, why[0].kind) == ("s02", "asked")
    assert ASKED.text in why[0].text
    comment(book, "s02", "Since the labels are missing.")
    register = read(book)
    kinds = {
        d.kind for _who, listed in doubts.uncertain(register.groups[0], register) for d in listed
    }
    assert "asked" not in kinds
    assert ask(book, AskedQuestion(ASKED.target, "And now?")) != []
    assert standing(book, "s02").asks is not None
    # A mark by hand answers, too.
    inside("class", "override", book, "s02", "3", reason="seen", who="Chen")
    assert standing(book, "s02").asks is None


def test_who_has_a_mark_by_hand_can_ask_about_it(book: Path) -> None:
    ask(book, AskedQuestion(("s10", "ch8-4", "pt"), "Why 4.5?"))
    register = read(book)
    found = {s.student.id: why for s, why in doubts.uncertain(register.groups[0], register)}
    assert [doubt.kind for doubt in found["s10"]] == ["asked"]


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_both_read_question_and_answer_in_every_report(book: Path, lang: str) -> None:
    i18n.activate(lang)
    ask(book, ASKED)
    comment(book, "s02", "Since **it** is so.", points=1)
    register = read(book)
    own = next(s for s in register.standings if s.student.id == "s02")
    told = " ".join(feedback.student_sentences(own))
    html = page.page(register)
    alone = page.student_page(own, register.groups[0], register)
    for words in ("Why 2 points?", "Since **it** is so.", "+1"):
        assert words in told
        assert words in html
        assert words in alone
    assert "<b>" not in alone.partition("</style>")[2]
    assert told.index("Why 2") < told.index("Since")


def test_what_can_be_commented_on_is_listed(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(book, ASKED)
    capsys.readouterr()
    comment(book, who=None, as_json=True)
    document = json.loads(capsys.readouterr().out)
    documents.validator("class-comment").validate(document)
    assert [each["text"] for each in document["questions"]] == [ASKED.text]
    reasons = {each["reason"]: each["students"] for each in document["reasons"]}
    assert "s02" in reasons["size-1-array:raised"]
    comment(book, who=None)
    out = " ".join(capsys.readouterr().out.split())
    assert ASKED.text.replace("`", "") in out.replace("`", "")
    assert "`size-1-array:raised` · " in out
    comment(book, "s02", "so", points=1, as_json=True)
    document = json.loads(capsys.readouterr().out)
    documents.validator("class-comment").validate(document)
    assert [(m["student"], m["score"]) for m in document["marks"]] == [("s02", 3.0)]


@pytest.mark.parametrize(
    ("words", "options", "said"),
    [
        (("s02",), {}, "Give the text of a comment"),
        (("s02", "so"), {"remove": True}, "Give the text of a comment"),
        (("s02", "so"), {"who": None}, "Add your name"),
        (("s99", "so"), {}, "no student `s99`"),
        (("size-1-array:raise", "so"), {}, "Did you mean `size-1-array:raised`"),
        (("s02", "so"), {"points": "much"}, "is not a score"),
    ],
)
def test_what_is_wrong_with_a_comment_is_said(
    book: Path, words: tuple[str, ...], options: dict[str, object], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        comment(book, *words, **options)
    assert all(s.comments == () for s in read(book).standings)
