"""What students are told: a sentence for everything that can be found, in their language."""

import re
from datetime import timedelta
from typing import get_args

import pytest

from course.base import i18n
from course.grading import note
from course.grading.grade import BugGrade, GradeNote, GradeStatus, Healthy, How, NewFault
from course.grading.report import feedback
from course.grading.report.class_results import HEALTHY, TRAINING, Waiting
from course.grading.report.page import labels
from tests.grading import report_class as made


def test_every_way_of_knowing_has_a_sentence_and_no_two_have_the_same() -> None:
    ways: tuple[How, ...] = get_args(How)
    said = {how: feedback.bug(BugGrade("size-1-array", False, how, 0, 1)) for how in ways}
    assert [how for how in said if "is gone" in said[how]] == ["answers", "text", "run"]
    assert len(set(said.values())) == len(ways)


def test_every_status_has_a_sentence_and_a_word() -> None:
    assert set(feedback.STATUSES) == set(labels.RESULTS) == set(get_args(GradeStatus))


def test_every_place_that_is_no_fault_has_a_name() -> None:
    assert set(labels.PLACES) == {*get_args(Waiting), TRAINING, HEALTHY}


def test_the_outcome_tells_its_figures() -> None:
    reached = Healthy(True, 1, 1, 0.813, 0.35, 0.2, 400, 1.0)
    said = feedback.healthy(reached)
    assert "After 1 epoch the model is right in 81%" in said
    assert "35%" in said
    missed = feedback.healthy(Healthy(False, 0, 1, 0.34, 0.35, 0.2, 400, 2.5))
    assert "After 2.5 epochs" in missed
    assert "55%" in missed
    assert "not tried" in feedback.healthy(Healthy(False, 0, 1))


def test_the_outcome_of_a_scripts_own_training_does_not_speak_of_ours() -> None:
    said = feedback.healthy(Healthy(True, 1, 1, 0.9, 0.667, 0.1, 300))
    assert "In the script's own evaluation the model is right in 90%" in said
    assert said.endswith("The script trains, and the model has learned.")
    assert "epoch" not in said
    assert "never seen" not in said
    missed = feedback.healthy(Healthy(False, 0, 1, 0.7, 0.667, 0.1, 300))
    assert "70%" in missed
    assert "The model counts as trained if at least 77% of its answers are right." in missed


def test_a_new_fault_is_named_or_quoted_on_one_line() -> None:
    known = NewFault("size-1-array", None, None, 4)
    assert feedback.new_fault(known) == (
        "Line 4: A new fault: The metric is given logits instead of classes"
    )
    own = feedback.new_fault(NewFault(None, "ValueError", "\x1b[31m" + "x\n" * 50))
    assert not set(own) & {"\n", "\x1b"}


def test_the_teachers_notes_are_not_for_students() -> None:
    who = made.student(2)
    notes = (GradeNote("tampering", {"line": 1, "what": "gc"}), GradeNote("not-moved"))
    said = " ".join(feedback.student_sentences(made.standing(who, made.grade(who, notes=notes))))
    assert "gc" not in said
    assert "weights changed" in said


def test_what_the_outcome_says_is_not_said_again_by_a_note() -> None:
    below = GradeNote("below-baseline", {"epochs": 1, "accuracy": 0.3, "baseline": 0.35})
    who = made.student(2)
    assert feedback.notes(made.grade(who, accuracy=0.3, notes=(below,))) == ()
    assert len(feedback.notes(made.grade(who, notes=(below,)))) == 1


def test_who_speaks_another_language_speaks_ours_again_afterwards() -> None:
    i18n.activate("ru")
    with feedback.speaking("zh"):
        assert i18n.language() == "zh"
        with feedback.speaking("tlh"):
            assert i18n.language() == "en"
        assert i18n.language() == "zh"
    assert i18n.language() == "ru"
    with pytest.raises(KeyError), feedback.speaking("zh"):
        raise KeyError
    assert i18n.language() == "ru"


@pytest.mark.parametrize(
    ("minutes", "said"),
    [(0.2, "1 min"), (9, "9 min"), (60, "1 hr 0 min"), (599, "9 hr 59 min"), (1500, "1 day 1 hr")],
)
def test_a_length_of_time_is_told_in_its_two_largest_units(minutes: float, said: str) -> None:
    assert labels.duration(timedelta(minutes=minutes)) == said


def test_no_russian_sentence_for_a_student_has_a_decimal_point() -> None:
    i18n.activate("ru")
    outcome = Healthy(
        reached=True, epochs=2.5, accuracy=0.8125, baseline=0.35, margin=0.2, points=1, of=1
    )
    notes = (GradeNote("own-evaluation", {"accuracy": 0.9, "baseline": 0.6667}),)
    said = [*map(note.describe_note, notes), feedback.healthy(outcome), feedback.points(4.5)]
    said += [sentence for each in made.twelve() for sentence in feedback.student_sentences(each)]
    text = " ".join(said)
    assert "4,5" in text
    assert "90\xa0%" in text
    assert not re.search(r"\d\.\d|\d ?%", text)
