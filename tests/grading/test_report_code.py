"""The code in a report beside the exercise, and whose mark is uncertain."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from course.grading.collect.unmatched import Unmatched
from course.grading.distribute import exercises
from course.grading.distribute.assignment import Form
from course.grading.grade import BugGrade, Grade, GradeNote, NewFault
from course.grading.report import doubts, feedback
from course.grading.report.class_results import Register
from course.grading.report.code import handed_out, side_by_side, view
from course.grading.report.page import page
from course.grading.student_result import Override, StudentResult
from course.lesson import lesson
from tests.grading import report_class as made
from tests.subtitles.browser.reader import Reader

PART = lesson.load("ch8-4").parts["pt"]
OWN = "seen = 0\nfor row in raw:\n    seen += 1\nprint('seen', seen)\n"


def exercise(gone: Sequence[str] = ()) -> str:
    """Return the exercise as it is handed out, some of its bugs mended by our own solution."""
    return exercises.file_text(PART, tuple(b for b in PART.bugs if b.fault not in gone), "script")


def standing(n: int, grade: Grade | None = None, **more: object) -> StudentResult:
    """Make a standing in English whose submission has a digest of its own."""
    who = made.student(n, f"Student {n}", "en")
    attempt = made.attempt(grade or made.grade(who, made.BUGS, accuracy=0.8), n)
    return made.standing(who, attempt=attempt, **more)


def register(*found: tuple[StudentResult, str]) -> Register:
    contents = {s.attempt.digest: text.encode() for s, text in found if s.attempt}
    return Register(tuple(s for s, _text in found), contents=contents)


def kinds(*found: tuple[StudentResult, str]) -> dict[str, list[str]]:
    """Return which doubts there are, by student."""
    whole = register(*found)
    listed = doubts.uncertain(whole.groups[0], whole)
    return {s.student.id: [doubt.kind for doubt in why] for s, why in listed}


@pytest.mark.parametrize("form", ["script", "notebook"])
def test_each_bug_has_its_place_in_what_was_handed_out(form: Form) -> None:
    text = exercise() if form == "script" else "# %% [1]\n"
    who = made.student(2, lang="en")
    given = replace(made.assignment(who), form=form)
    found = handed_out.of(made.standing(who, assignment=given), text)
    lines = {bug: found.lines[place - 1] for bug, place in found.places.items()}
    assert set(lines) == set(made.BUGS)
    assert "raw[" in lines["missing-input-ids"]
    assert "from_pretrained" in lines["target-out-of-bounds"]
    assert "logits" in lines["size-1-array"]
    assert "argmax" in "".join(found.solution)
    assert not found.is_same, "the digest of the made-up class is another one"


def test_what_is_the_same_and_far_away_is_folded_and_the_rest_is_side_by_side() -> None:
    old = [f"line {n}" for n in range(1, 31)]
    new = [*old[:9], "line ten", *old[10:], "more"]
    first, shown, *rest = side_by_side.hunks(old, new, {}, {})
    assert (first.folded, len(first.rows)) == (True, 7)
    changed = next(row for row in shown.rows if row.kind == "changed")
    assert changed.old
    assert changed.new
    assert changed.old.pieces == (("line ", False), ("10", True))
    assert changed.new.pieces == (("line ", False), ("ten", True))
    last = rest[-1].rows[-1]
    assert (last.kind, last.old, last.new and last.new.number) == ("added", None, 31)
    whole = [row for hunk in (first, shown, *rest) for row in hunk.rows]
    assert [row.new.text for row in whole if row.new] == new


def test_a_line_with_a_note_is_never_folded() -> None:
    lines = [f"line {n}" for n in range(40)]
    (fold,) = side_by_side.hunks(lines, lines, {}, {})
    assert fold.folded
    _above, shown, _below = side_by_side.hunks(lines, lines, {}, {20: ["look"]})
    assert [row.new.number for row in shown.rows if row.new and row.notes] == [20]


def test_signs_that_turn_a_text_around_are_shown_and_long_ones_cut() -> None:
    (hunk,) = side_by_side.hunks([], ["a\u202eb", "x" * 10_000], {}, {})
    turned, long = (row.new for row in hunk.rows)
    assert turned
    assert long
    assert turned.text == "a⟨U+202E⟩b"
    assert len(long.text) == side_by_side.LONGEST_LINE + 1


def test_notes_stand_at_their_lines_in_scripts_and_in_cells() -> None:
    who = made.student(0, lang="en")
    notes = (GradeNote("tampering", {"line": 2, "cell": 5, "what": "gc"}),)
    grade = made.grade(who, notes=notes, new_faults=(NewFault(None, "KeyError", "a", 1, 3),))
    text = "# %% [3]\nraw['a']\n\n# %% [5]\nimport gc\ngc.get_objects()\n"
    one = replace(made.standing(who, grade), student=who)
    whole = register((one, text))
    seen: dict[str, dict[str, tuple[str, ...]]] = {}
    for eyes in ("student", "teacher"):
        found = view.of(one, whole, eyes)
        rows = [row for hunk in found.hunks for row in hunk.rows]
        seen[eyes] = {row.new.text: row.notes for row in rows if row.new and row.notes}
    assert "KeyError" in seen["student"]["raw['a']"][0]
    assert "gc.get_objects()" not in seen["student"], "that is for the teacher"
    assert "Cell 5" in seen["teacher"]["gc.get_objects()"][0]


def test_a_hostile_submission_is_only_text() -> None:
    one = standing(0)
    text = page.page(register((one, exercise() + made.EVIL.replace("\x00", ""))))
    read = Reader(text)
    assert len(read.find("script")) == 1
    assert '</script><script>alert("1 & 2")</script>' in read.one("div", class_="code").whole
    assert "\x1b" not in text


def test_full_marks_in_other_words_are_no_doubt() -> None:
    who = made.student(0)
    notes = (
        GradeNote("own-loop"),
        GradeNote("unusual", {"line": 3, "what": "subprocess"}),
        GradeNote("text-stands", {"fault": "length-mismatch"}),
    )
    right = made.grade(who, made.BUGS, accuracy=0.8, notes=notes)
    assert kinds((standing(0, right), exercise(made.BUGS) + OWN)) == {}
    wrong = made.grade(who, made.BUGS[:1], how="raised")
    assert kinds((standing(0, wrong), exercise(made.BUGS[:1]))) == {}


def test_every_reason_for_doubt_is_listed_the_gravest_first() -> None:
    who = made.student(0)
    full = made.grade(who, made.BUGS, accuracy=0.8)
    text = (replace(full.bugs[0], how="text"), *full.bugs[1:])
    missing = BugGrade("size-1-array", False, "missing", 0.0, 1.0)
    learned = (*full.bugs[1:], replace(full.bugs[0], gone=False, how="wrong-answer", points=0.0))
    adapted = GradeNote("absent-service", {"name": "wandb", "line": 3})
    cases = {
        "claimed": made.grade(who, notes=(GradeNote("own-account", {"faults": "size-1-array"}),)),
        "adapted": replace(full, notes=(adapted,)),
        "limit": made.grade(who, how="not-reached", status="time-limit"),
        "ours": Grade(who.id, "ch8-4", "pt", "internal-error"),
        "missed": replace(full, bugs=learned),
        "withheld": made.grade(who, how="withheld"),
        "unread": Grade(who.id, "ch8-4", "pt", "refused"),
    }
    found = kinds(*((standing(n, g), exercise()) for n, g in enumerate(cases.values())))
    by_id = {f"s{n:02d}": kind for n, kind in enumerate(cases)}
    assert {by_id[id_]: why[0] for id_, why in found.items()} == {kind: kind for kind in cases}
    assert [by_id[id_] for id_ in found] == [k for k in doubts.RANKS if k in cases]
    # What the text alone tells is a doubt where the text is not ours and nothing has learned.
    untold = replace(made.grade(who), bugs=text)
    assert kinds((standing(0, untold), exercise() + OWN)) == {"s00": ["claimed"]}
    assert kinds((standing(0, untold), exercise())) == {}
    assert kinds((standing(0, replace(full, bugs=text)), exercise() + OWN)) == {}
    assert kinds((standing(0, made.grade(who, bugs=(), how="missing")), "")) == {}
    gap = replace(made.grade(who), bugs=(missing,))
    assert kinds((standing(0, gap), exercise())) == {"s00": ["missed"]}


def test_a_mark_of_the_teachers_own_is_certain_and_what_was_not_read_is_not() -> None:
    who = made.student(0)
    held = standing(0, made.grade(who, how="withheld"))
    mine = replace(held, override=Override(5, "talked about it", "me", made.START))
    assert kinds((mine, exercise())) == {}
    came = made.standing(
        who,
        came=False,
        unread=(Unmatched("a.docx", "unknown-file", who.id, {"wanted": "ch8-4-pt.py"}),),
    )
    assert kinds((came, "")) == {"s00": ["unread"]}


def test_two_with_the_same_words_of_their_own_are_named_and_two_with_our_solution_not() -> None:
    mine, yours, theirs = (standing(n) for n in range(3))
    mended = exercise(made.BUGS)
    same = register((mine, mended + OWN), (yours, exercise() + OWN), (theirs, mended))
    (first, [doubt]), (second, _) = doubts.uncertain(same.groups[0], same)
    assert {first.student.id, second.student.id} == {"s00", "s01"}
    assert "Student 1" in doubt.text
    assert kinds((mine, mended), (yours, mended)) == {}


def test_the_page_begins_with_whose_mark_is_uncertain() -> None:
    held = standing(1, made.grade(made.student(1), how="withheld"))
    read = Reader(page.page(register((standing(0), exercise(made.BUGS)), (held, exercise()))))
    sections = [
        e.attributes["class"] for e in read.find("section") if "part" in e.attributes["class"]
    ]
    assert sections[0] == "part look-first"
    look = read.one("section", class_="part look-first").whole
    assert "Student 1" in look
    assert "Student 0" not in look
    calm = Reader(page.page(register((standing(0), exercise(made.BUGS)))))
    assert "No mark is uncertain." in calm.one("main").whole


def test_what_a_team_shares_is_no_doubt() -> None:
    text = exercise(made.BUGS) + OWN
    first, second, third = (standing(n) for n in range(3))
    team = (first.student, second.student)
    shared = [(replace(each, team=team), text) for each in (first, second)]
    assert kinds(*shared) == {}
    assert kinds(*shared, (third, text)) == {each: ["twin"] for each in ("s00", "s01", "s02")}


def test_what_a_mate_handed_in_is_held_beside_the_exercise_in_the_mates_language() -> None:
    own = made.standing(made.student(2, lang="en"))
    mates = tuple(made.student(n, lang=lang) for n, lang in enumerate(("zh", "ru")))
    with feedback.speaking("ru"):
        text = exercise()
    alone, shared = handed_out.of(own, text), handed_out.of(replace(own, team=mates), text)
    assert alone.lines != shared.lines == handed_out.split(text)
    assert shared.is_same
