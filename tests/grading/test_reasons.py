"""Each point that is missing has its reason: in the page, in the table and in the JSON document."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from course.base import i18n
from course.cli.classroom import grade_json
from course.grading.grade import BugGrade, Grade, GradeNote, Healthy
from course.grading.note import describe_note
from course.grading.report import class_results, csv_table, doubts, feedback
from course.grading.report.page import page
from course.lesson import lesson
from course.runs.sandbox.bubblewrap import JobMailbox
from course_probe.exam.own_steps import PREFIX
from tests.grading import report_class as made
from tests.grading import small
from tests.grading.runs import (
    END,
    FAILED,
    LOSS,
    MENDED,
    OWN_WAY,
    START,
    UNTOUCHED,
    healthy,
    known,
    ledger,
    ours,
    shows,
    train,
    trained,
    unknown,
)
from tests.grading.runs import FAULTS as FOUR_FAULTS
from tests.grading.test_by_questions import Process
from tests.grading.test_by_run import tried

LANGS = ("en", "zh", "ru")


def sentence_of(found: Grade, fault: str) -> str:
    return feedback.bug(next(bug for bug in found.bugs if bug.fault == fault))


def register(*grades: Grade, names: tuple[str, ...] = ()) -> class_results.Register:
    standings = []
    for number, each in enumerate(grades):
        who = made.student(number, names[number] if names else None, "en")
        bugs = tuple(bug.fault for bug in each.bugs)
        given = made.assignment(who, bugs, each.lesson, each.framework)
        standings.append(made.standing(who, each, assignment=given))
    return made.register(standings)


def told_everywhere(found: Grade, sentence: str) -> bool:
    """Whether the page, the table and the JSON document all have a sentence."""
    whole = register(found)
    shown = " ".join(unescape(re.sub(r"<[^>]+>", "", page.page(whole))).split())
    (row,) = made.rows(csv_table.text(whole))
    document = grade_json.describe(found)
    texts = [each["reason"]["text"] for each in document["bugs"]]
    texts.append((document["healthy"] or {}).get("text", ""))
    plain = sentence.replace("`", "")
    return (
        plain in shown
        and plain in " ".join(row["reasons"].replace("`", "").split())
        and any(plain in text.replace("`", "") for text in texts)
    )


def test_what_a_run_raised_is_told_with_its_message_and_line() -> None:
    third = FOUR_FAULTS[2]
    event = {**known(third), "message": known(third)["message"]}
    event["frames"] = unknown("X", "m", 12)["frames"]
    text = ours(UNTOUCHED, *FOUR_FAULTS[:2])
    found = tried(text, [START, event, FAILED])
    (bug,) = (b for b in found.bugs if b.fault == third)
    assert bug.how == "raised"
    assert bug.reason["line"] == 12
    assert str(bug.reason["message"]) in event["message"]
    assert f"Line 12: The run stops with `{bug.reason['exception']}`" in sentence_of(found, third)
    assert told_everywhere(found, "Line 12: The run stops with ")


def test_what_a_run_shows_silently_is_told_with_its_figures() -> None:
    found = tried(ours(UNTOUCHED, *FOUR_FAULTS[:4]), shows(FOUR_FAULTS[4]))
    (bug,) = (b for b in found.bugs if b.fault == FOUR_FAULTS[4])
    assert bug.how == "wrong-answer"
    assert "signature" in bug.reason
    sentence = sentence_of(found, FOUR_FAULTS[4])
    assert len(sentence) > len(feedback.bug(replace(bug, reason={})))
    answered, right = "optimizer.left_part = 0.9", asked(FOUR_FAULTS[4])[2]
    assert reason_of(found, FOUR_FAULTS[4]) == ("figures", answered, right)
    assert f"`{answered}`. Right: `{right}`." in sentence
    assert told_everywhere(found, sentence)


def test_what_ended_the_script_before_a_bug_is_named() -> None:
    text = f"print(undefined)\n{OWN_WAY}"
    found = tried(text, [START, unknown("NameError", "name 'undefined' is not defined", 1), FAILED])
    unseen = [bug for bug in found.bugs if bug.how == "stands"]
    assert len(unseen) == len(FOUR_FAULTS) - 1
    for bug in unseen:
        assert "Line 1: The run stops with `NameError`: name" in feedback.bug(bug)
    assert told_everywhere(found, "Line 1: The run stops with `NameError`")


def asked(fault: str) -> tuple[object, ...]:
    """Return what is asked about a silent bug, what a healthy run shows, and what is right."""
    figures_of, rule = {
        "gradients-not-cleared": (
            "optimizer.left_part = 0",
            "not (optimizer.left_part > 0.05)",
        ),
        "schedule-out-of-step": (
            "schedule.done = 1, schedule.of_steps = 1, schedule.calls_a_step = 1",
            "not (schedule.done < 0.2 and schedule.of_steps >= 0.5"
            " and schedule.calls_a_step < 0.5)",
        ),
        "dropout-in-evaluation": (
            "evaluation.dropping_share = 0",
            "not (evaluation.dropping_share > 0.5)",
        ),
    }[fault]
    return "figures", figures_of, rule


def reason_of(found: Grade, fault: str) -> tuple[object, ...]:
    (bug,) = (b for b in found.bugs if b.fault == fault)
    return tuple(bug.reason.get(name) for name in ("asked", "answered", "expected"))


def test_what_a_run_got_past_is_told_with_what_was_measured_and_what_is_right() -> None:
    found = tried(OWN_WAY, healthy())
    assert {bug.how for bug in found.bugs if bug.fault != "devices-differ"} == {"run"}
    for fault in FOUR_FAULTS[:3]:
        assert reason_of(found, fault) == ("training", "steps = 609", "steps > 0")
    for fault in FOUR_FAULTS[4:]:
        assert reason_of(found, fault) == asked(fault)
        assert f"`{asked(fault)[1]}`. Right: `{asked(fault)[2]}`." in sentence_of(found, fault)


UNTOLD = {
    "unmeasured": (
        *("gradients-not-cleared", [*healthy()[:3], *healthy()[4:]]),
        ("figures", "optimizer.left_part = –"),
    ),
    "no evaluation": (
        *("dropout-in-evaluation", [START, train(), LOSS, ledger(), trained(), END]),
        ("training", "accuracy = –"),
    ),
    "no training": ("text-in-batch", [START, END], ("training", "steps = 0")),
    "a limit": (
        *("text-in-batch", [START, train(), LOSS, trained(300, 1620)]),
        ("training", "status = died"),
    ),
    "single examples": (
        *("text-in-batch", [START, train(batch_size=1), *healthy()[2:]]),
        ("setup", "batch_size = 1"),
    ),
    "few examples": (
        *("text-in-batch", [*healthy()[:5], trained(60, 80), *healthy()[6:]]),
        ("setup", "examples = 80"),
    ),
}
"""Runs that do not show a bug, and do not get past it: what is asked, and what they answer."""


@pytest.mark.parametrize("case", UNTOLD)
def test_a_bug_that_no_run_got_past_has_the_reason_of_the_run(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JobMailbox, "put", lambda self, name, value: None)
    fault, run, told = UNTOLD[case]
    found = tried(OWN_WAY, run)
    assert reason_of(found, fault)[:2] == told
    assert reason_of(found, fault)[2] not in (None, told[1])
    assert told_everywhere(found, f"`{told[1]}`. Right: `")


def test_an_exception_is_told_once() -> None:
    found = tried(UNTOUCHED, shows(FOUR_FAULTS[0]))
    assert reason_of(found, FOUR_FAULTS[0])[0] == "training"
    assert sentence_of(found, FOUR_FAULTS[0]).count("ImportError") == 1


def test_the_last_point_tells_its_threshold_where_nothing_was_measured() -> None:
    found = tried(UNTOUCHED, shows(FOUR_FAULTS[0]))
    assert found.healthy is not None
    assert "its accuracy is at least 0.1 above" in feedback.healthy(found.healthy)


def test_an_evaluation_beside_a_bug_that_is_left_is_told_and_is_no_doubt() -> None:
    found = tried(ours(UNTOUCHED, *FOUR_FAULTS[:3], *FOUR_FAULTS[4:]), healthy())
    assert (found.healthy.points, found.healthy.accuracy, found.healthy.why) == (
        *(0.0, 0.9),
        "bugs-left",
    )
    told = feedback.healthy(found.healthy)
    assert "90%" in told
    assert "only if all its bugs are fixed" in told
    whole = register(found)
    assert "above" not in {
        d.kind for _, why in doubts.uncertain(whole.groups[0], whole) for d in why
    }


def test_parts_that_were_not_asked_after_a_training_tell_the_threshold(tmp_path: Path) -> None:
    process = Process(tmp_path)
    process.asked()
    found = process.graded()
    assert found.healthy.accuracy is None
    assert "The model counts as trained if at least" in feedback.healthy(found.healthy)


@pytest.mark.parametrize("lang", LANGS)
def test_a_training_that_ran_is_not_said_to_be_untried(lang: str) -> None:
    i18n.activate(lang)
    untried = i18n.translator(lang)(feedback.UNREACHED["not-tried"])
    run = [START, train(), LOSS, ledger(), trained(), healthy()[-1]]
    after = tried("import json\n" + UNTOUCHED, run)
    assert after.healthy is not None
    assert untried not in feedback.healthy(after.healthy)
    before = tried(UNTOUCHED, shows(FOUR_FAULTS[0]))
    assert before.healthy is not None
    assert feedback.healthy(before.healthy).startswith(untried)


ENOUGH = Healthy(False, 0.0, 1.0, 0.98, 0.67, 0.1, 300)


@pytest.mark.parametrize("why", [None, *feedback.ENOUGH])
def test_right_often_enough_and_no_point_has_its_reason(why: str | None) -> None:
    outcome = replace(ENOUGH, why=why, fault="trained-again" if why == "other-fault" else None)
    told = feedback.healthy(outcome)
    assert "98%" in told
    assert "77%" in told
    reason = feedback.ENOUGH[why or "around"].partition("{")[0]
    assert reason in told
    grade = Grade("s", "ch8-4", "pt", "graded", healthy=outcome)
    assert told_everywhere(grade, reason)


def test_who_is_right_often_enough_without_a_point_comes_first_among_the_uncertain() -> None:
    note = GradeNote("tampering", {"line": 1, "what": "x"})
    claimed = Grade("a", "ch8-4", "pt", "graded", notes=(note,))
    above = Grade("b", "ch8-4", "pt", "graded", healthy=replace(ENOUGH, why="around"))
    whole = register(claimed, above)
    first = doubts.uncertain(whole.groups[0], whole)[0]
    assert (first[0].student.id, first[1][0].kind) == ("s01", "above")


def test_an_answer_of_the_right_form_is_not_told_beside_itself() -> None:
    reason = {"asked": "outputs", "answered": "logits (6, 3)", "expected": "logits (6, 3)"}
    told = feedback.bug(BugGrade("f", False, "wrong-answer", 0.0, 1.0, reason))
    assert "Right:" not in told
    assert "The form of the answer is right, but the values are not." in told


def test_four_of_one_name_are_told_apart() -> None:
    one = Grade("x", "ch8-4", "pt", "graded", healthy=replace(ENOUGH, why="around"))
    whole = register(one, one, one, one, names=("Ли Вэй",) * 4)
    shown = page.page(whole)
    for number in range(4):
        assert f"Ли Вэй (s{number:02})" in shown


def test_a_collator_of_the_trainers_own_is_no_reason_to_look(tmp_path: Path) -> None:
    """The lesson's fix only adds a line, so the lines of the bug stand in every other mend."""
    part = lesson.load("ch8-4").parts["pt"]
    text = part.text(part.bugs[1:2]).replace(
        "    compute_metrics=compute_metrics,\n",
        "    compute_metrics=compute_metrics,\n    processing_class=tokenizer,\n",
    )
    process = Process(tmp_path, text)
    found = process.whole()
    assert found.score == 5
    assert not [n for n in found.notes if "heck" in describe_note(n) or "Look" in describe_note(n)]
    whole = register(found)
    assert doubts.uncertain(whole.groups[0], whole) == []


# What the training's own steps have taught.


def steps(process: Process, weights: dict[str, Any], **event: Any) -> Grade:
    process.write(weights)
    process.asked()
    process.rehearsed({"event": "weights", **event})
    return process.graded()


def test_what_something_else_has_taught_the_model_does_not_count(tmp_path: Path) -> None:
    taught, own = dict(small.world().weights), small.weights_of(3)
    beside = {PREFIX + name: tensor for name, tensor in own.items()}
    found = steps(Process(tmp_path), {**taught, **beside}, rate=0.0, moved=0, tensors=4)
    assert found.score == 4
    assert {"taught-elsewhere", "zero-rate", "below-baseline"} <= {n.id for n in found.notes}
    assert not found.healthy.reached


def test_what_the_own_steps_have_taught_counts_whatever_else_has_changed(tmp_path: Path) -> None:
    taught = dict(small.world().weights)
    beside = {PREFIX + name: tensor for name, tensor in taught.items()}
    found = steps(Process(tmp_path), {**taught, **beside}, rate=1e-4, moved=4, tensors=4)
    assert (found.score, found.notes) == (5, ())


@pytest.mark.parametrize(
    ("counted", "note"),
    [({"rate": 0.0, "moved": 0}, "zero-rate"), ({"rate": 1e-4, "moved": 0}, "not-moved")],
)
def test_a_training_that_moves_nothing_is_named(
    tmp_path: Path, counted: dict[str, Any], note: str
) -> None:
    found = steps(Process(tmp_path), dict(small.world().weights), **counted, tensors=4)
    assert found.score == 4
    assert note in {each.id for each in found.notes}
    assert found.healthy is not None
    assert "The accuracy would be high enough. But" in feedback.healthy(found.healthy)


def test_a_metric_that_tells_another_accuracy_is_named_with_both(tmp_path: Path) -> None:
    process = Process(tmp_path, "import json\n" + lesson.load("ch8-4").parts["pt"].text(()))
    process.asked()
    process.trained(accuracy=0.5)
    found = process.graded()
    told = sentence_of(found, "size-1-array")
    assert "When we called the metric function, its answer was right." in told
    assert "The script's answer: `0.5000`. Right: `1.0000`." in told
    assert "made-up-metric" in {n.id for n in found.notes}


def test_a_rate_of_zero_is_named_where_nobody_asks_and_earns_no_outcome(tmp_path: Path) -> None:
    begun = [START, train(learning_rate=0.0)]
    rates = {"ledger": {"optimizers": []}, "vitals": {"rate": {}}}
    still = [{**each, **rates.get(each["event"], {})} for each in healthy()[2:]]
    found = tried(MENDED, begun + still)
    assert "zero-rate" in {n.id for n in found.notes}
    assert (found.healthy.reached, found.healthy.why) == (False, "problem")
    assert "zero-rate" not in {n.id for n in tried(MENDED, healthy()).notes}
    # A warm-up begins with a rate of zero, and its later steps have others.
    assert "zero-rate" not in {n.id for n in tried(MENDED, begun + healthy()[2:]).notes}
