"""Without questions the text decides, then the run; the word of a process is no proof."""

import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from unittest.mock import create_autospec

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course.grading import grade, note
from course.grading.engine import by_run, run_evidence
from course.grading.engine.by_run import RunTrial
from course.grading.engine.run_evidence import Hearing
from course.grading.engine.text_evidence import AssignedExercise
from course.grading.grade import Grade
from course.grading.rubric import Rubric
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from course.runs.sandbox.bubblewrap import Done, JobLimits, JobMailbox, Sandbox
from tests import ledgers
from tests.grading.box import FakeBox
from tests.grading.examined import events_of, gone, how, notes
from tests.grading.runs import (
    BUGS,
    END,
    FAILED,
    FAULTS,
    HIDDEN,
    LOSS,
    MENDED,
    OWN,
    OWN_WAY,
    PART,
    SILENT,
    START,
    STOPPED,
    UNTOUCHED,
    Event,
    evaluate,
    event,
    figures,
    healthy,
    known,
    ledger,
    ours,
    own,
    shows,
    train,
    trained,
    unknown,
)
from tests.vital_signs import vitals

OVER = Done(None, 0, "", 30.0)
MAILBOX = create_autospec(JobMailbox, instance=True)
TAMPERS = "import gc\n\ngc.get_objects()\n"


def tried(
    text: str,
    *runs: list[Event],
    bugs: Iterable[str] = FAULTS,
    rubric: Rubric | None = None,
    part: lesson.Part = PART,
    done: Done = OVER,
    exam: bool = False,
) -> Grade:
    """Grade a text whose runs went so; the grade must be fit to be kept and told.

    Each run after the first is of the text with our own fixes for what ended the one before.
    """
    drawn = tuple(bug for bug in part.known if bug.fault in set(bugs))
    settled = (rubric or Rubric()).settled(part.outcome)
    held = RunTrial(AssignedExercise(part, drawn, exam), settled, text)
    for number, events in enumerate(runs):
        if number:
            assert held.repaired() is not None
        hearing = Hearing(held.part.outcome, held.faults)
        for each in events:
            hearing.heard(json.loads(json.dumps(each)), MAILBOX)
        held.add(hearing, done)
    found = held.grade("s01")
    assert grade.read(json.loads(json.dumps(found.to_dict(), allow_nan=False))) == found
    assert all(note.describe_note(each) for each in found.notes)
    return found


def figures_of(found: Grade, id_: str) -> dict[str, Any]:
    (told,) = (each for each in found.notes if each.id == id_)
    return dict(told.figures)


def test_an_exam_without_its_first_line_is_named() -> None:
    assert "no-exam-header" in notes(tried(MENDED, healthy(), exam=True))
    assert "no-exam-header" not in notes(tried(MENDED, healthy()))


# The script is ours.


def test_a_mended_script_that_learns_gets_every_mark() -> None:
    found = tried(MENDED, healthy())
    assert (found.status, found.score, found.max_score, found.stage) == ("graded", 8, 8, "healthy")
    assert set(how(found).values()) == {"text"}
    assert (found.notes, found.new_faults) == ((), ())
    assert (found.healthy.accuracy, found.healthy.baseline) == (0.9, 0.6667)
    assert (found.healthy.examples, found.healthy.epochs, found.healthy.margin) == (300, None, 0.1)
    assert (found.seconds, found.training_seconds) == (30.0, 18.0)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_single_bug_that_is_left_is_named(fault: str) -> None:
    run = healthy() if fault == HIDDEN else shows(fault)
    found = tried(PART.text((BUGS[fault],)), run)
    assert gone(found) == set(FAULTS) - {fault}
    # What no run shows here can be read.
    assert how(found)[fault] == {HIDDEN: "stands"}.get(
        fault, "wrong-answer" if fault in SILENT else "raised"
    )
    assert (found.score, found.stage, found.notes) == (6, fault, ())
    # A bug that no run shows here leaves an accuracy, and the point is withheld all the same.
    assert not found.healthy.reached
    assert found.healthy.accuracy == (0.9 if fault == HIDDEN else None)


def test_behind_the_bug_that_bites_the_text_tells_of_the_others() -> None:
    found = tried(ours(UNTOUCHED, *FAULTS[1:3]), shows("removed-import"))
    assert [bug.how for bug in found.bugs] == ["raised", "text", "text", *["stands"] * 4]
    assert (found.score, found.stage) == (2, "removed-import")


@pytest.mark.parametrize("drawn", [(fault,) for fault in FAULTS] + [FAULTS[2:5]])
def test_only_bugs_that_were_drawn_are_marked(drawn: tuple[str, ...]) -> None:
    found = tried(MENDED, healthy(), bugs=drawn)
    assert [bug.fault for bug in found.bugs] == list(drawn)
    assert found.score == found.max_score == len(drawn) + 1


@pytest.mark.parametrize("variant", [bug.fault for bug in PART.variants])
def test_a_variant_is_examined_too(variant: str) -> None:
    assert tried(MENDED, healthy(), bugs=[variant]).score == 2
    found = tried(PART.text((BUGS[variant],)), healthy(variant), bugs=[variant])
    assert how(found) == {variant: "wrong-answer"}
    assert found.score == 0


ILL_RUNS: dict[str, tuple[list[Event], str | None]] = {
    "not enough learned": (healthy(accuracy=0.7), "own-evaluation"),
    "no metric": ([START, train(), LOSS, ledger(), trained(), END], "no-metric"),
    "no training": ([START, END], "no-training"),
    "too few examples": ([START, train(examples=400), LOSS, STOPPED, END], "fewer-examples"),
    "one label": ([START, train(labels={"1": 1620}), LOSS, STOPPED, END], "fewer-labels"),
    "batches of one": ([START, train(batch_size=1), LOSS, STOPPED, END], "batch-of-one"),
    "few to evaluate on": (
        [START, train(), LOSS, ledger(), evaluate(1.0, examples=8), trained(), END],
        "other-evaluation",
    ),
    "one label to evaluate on": (
        [START, train(), LOSS, evaluate(1.0, labels={"1": 300}), trained(), END],
        "other-evaluation",
    ),
    "not a number": (
        [START, train(), *[event("loss", step=n, mean="nan") for n in range(1, 9)], STOPPED, END],
        "not-finite",
    ),
    "died": (healthy()[:-1], "died"),
    "nothing at all": ([], "died"),
    "an error of its own": ([*healthy()[:-1], unknown("KeyError", "'x'"), FAILED], None),
}


@pytest.mark.parametrize("name", ILL_RUNS)
@pytest.mark.parametrize("text", [MENDED, "\n" + MENDED.replace("epochs = 3", "epochs = 2 + 1")])
def test_our_fixes_count_however_the_run_went_and_the_outcome_does_not(
    name: str, text: str
) -> None:
    run, told = ILL_RUNS[name]
    found = tried(text, run)
    assert (found.score, set(how(found).values())) == (7, {"text"})
    assert not found.healthy.reached
    assert notes(found) == ({told} if told else set())


# The script is the student's own.


def test_a_model_that_did_not_move_is_not_healthy_and_costs_no_other_mark() -> None:
    still = vitals()
    still["model"] |= {"moved": 0, "moved_share": 0.0}
    run = [each if each["event"] != "vitals" else still for each in healthy()]
    found = tried(OWN_WAY, run)
    assert [bug.gone for bug in found.bugs] == [True] * len(FAULTS)
    assert not found.healthy.reached
    assert "not-moved" in notes(found)


def test_weights_that_something_else_has_set_are_not_learned() -> None:
    run = healthy()
    found = tried(OWN_WAY, [*run[:-1], figures(weights_set=1.0), run[-1]])
    assert [bug.gone for bug in found.bugs] == [True] * len(FAULTS)
    assert not found.healthy.reached
    assert "taught-elsewhere" in notes(found)


@pytest.mark.parametrize(
    ("accuracy", "classes", "lost", "told"),
    [
        (0.67, 2, {"missing-labels"}, "accuracy = 0.67"),
        (0.75, 2, set(), "steps = 609"),
        (0.67, 1, set(OWN), "labels = 1"),
    ],
)
def test_a_run_that_teaches_nothing_does_not_tell_that_it_has_labels(
    accuracy: float, classes: int, lost: set[str], told: str
) -> None:
    """With labels of its own making a script raises no error, and learns nothing."""
    signs = vitals(accuracy=accuracy)
    signs["outcome"] |= {"accuracy": accuracy, "accuracy_after": accuracy}
    signs["data"]["classes"] = classes
    events = [signs if each["event"] == "vitals" else each for each in healthy(accuracy=accuracy)]
    found = tried(OWN_WAY, events)
    assert {bug.fault for bug in found.bugs if not bug.gone} == lost
    assert not found.healthy.reached
    reasons = {bug.fault: bug.reason for bug in found.bugs}
    assert reasons["missing-labels"].get("answered", "") == told


def test_a_made_up_metric_costs_the_bugs_of_the_metric_and_no_other() -> None:
    made_up = vitals()
    made_up["outcome"] |= {"said_accuracy": 0.99, "said_off": 0.09, "given_answers": 1.0}
    run = [each if each["event"] != "vitals" else made_up for each in healthy()]
    found = tried(OWN_WAY, run)
    lost = [bug.fault for bug in found.bugs if not bug.gone]
    assert lost == [name for name in OWN if catalogue()[name].stage == "evaluation"] != []
    assert {how(found)[name] for name in lost} == {"stands"}
    assert not found.healthy.reached
    assert [each.fault for each in found.new_faults] == ["metric-made-up"]


def test_mended_in_other_words_the_run_decides_and_the_teacher_is_told() -> None:
    found = tried(OWN_WAY, healthy())
    assert how(found) == {fault: "text" if fault == HIDDEN else "run" for fault in FAULTS}
    assert (found.score, found.new_faults) == (8, ())
    assert notes(found) == {"own-account", "own-account-healthy", "vital-signs"}
    (signs,) = (each for each in found.notes if each.id == "vital-signs")
    assert "41 of 41" in note.describe_note(signs)
    assert figures_of(found, "own-account") == {"faults": ", ".join(OWN)}
    assert {note.reader(each) for each in found.notes} == {"teacher"}


@pytest.mark.parametrize("left", SILENT)
def test_a_silent_bug_that_the_run_shows_is_not_gone(left: str) -> None:
    text = own(ours(UNTOUCHED, HIDDEN), *(fault for fault in OWN if fault != left))
    before = set(FAULTS[: FAULTS.index(left)])
    found = tried(text, shows(left))
    assert (how(found)[left], gone(found)) == ("wrong-answer", before)
    found = tried(text, shows(left), healthy()) if left != SILENT[-1] else found
    assert (how(found)[left], gone(found)) == ("wrong-answer", set(FAULTS) - {left})
    assert not found.healthy.reached


@pytest.mark.parametrize("left", SILENT)
def test_a_silent_bug_shows_where_its_text_is_gone_and_nothing_is_mended(left: str) -> None:
    """Another way of writing the same bug."""
    other = {
        "gradients-not-cleared": [("loss.backward()\n", "(loss).backward()\n")],
        "schedule-out-of-step": [("    schedule.step()\n", "    (schedule).step()\n")],
        "dropout-in-evaluation": [("for batch in eval_loader", "for batch in (eval_loader)")],
    }
    text = ours(UNTOUCHED, *(fault for fault in FAULTS if fault != left))
    for one, another in other[left]:
        text = text.replace(one, another)
    found = tried(text, shows(left))
    assert (how(found)[left], found.score) == ("wrong-answer", 6)


UNKNOWN: dict[str, dict[str, Any]] = {
    "gradients-not-cleared": {"gradients": {"added": 0.0}},
    "schedule-out-of-step": {"schedules": {"length": 0}},
    "dropout-in-evaluation": {"passes": {"modes": 0}},
}


@pytest.mark.parametrize("fault", UNKNOWN)
@pytest.mark.parametrize("hidden", ["all", "part"])
def test_what_nobody_could_measure_is_not_gone(fault: str, hidden: str) -> None:
    text = ours(UNTOUCHED, *(other for other in FAULTS if other != fault))
    run = healthy()
    run[3] = event("figures", values={}) if hidden == "all" else ledgers.event(**UNKNOWN[fault])
    found = tried(own(text, fault), run)
    assert how(found)[fault] in ("missing", "stands")
    assert gone(found) == set(FAULTS) - {fault}
    assert not found.healthy.reached


def test_a_bug_that_bites_tells_of_those_before_it_once_there_was_a_training() -> None:
    text = own(UNTOUCHED, "missing-labels", "text-in-batch")
    text = ours(text, "removed-import")
    found = tried(text, shows("gradients-not-cleared"))
    assert [bug.how for bug in found.bugs] == [
        *("text", "run", "run", "stands", "wrong-answer", "stands", "stands")
    ]
    assert figures_of(found, "own-account") == {"faults": "text-in-batch, missing-labels"}
    assert notes(found) == {"own-account"}


def rounds(text: str, *runs: list[Event]) -> list[str]:
    """Return the texts that run after such runs of a text."""
    held = RunTrial(AssignedExercise(PART, PART.bugs), Rubric().settled(PART.outcome), text)
    found = []
    for events in runs:
        hearing = Hearing(PART.outcome, frozenset(BUGS))
        for each in events:
            hearing.heard(each, MAILBOX)
        held.add(hearing, OVER)
        repaired = held.repaired()
        if repaired is None:
            break
        found.append(repaired)
    return found


def test_what_is_mended_in_other_words_does_not_wait_for_what_bites_before_it() -> None:
    """Our own fix is made for what bites, and the rest runs again."""
    text = own(UNTOUCHED, "removed-import", "missing-labels", "dropout-in-evaluation")
    runs = [shows("text-in-batch"), shows("gradients-not-cleared"), shows("schedule-out-of-step")]
    first = ours(text, "text-in-batch")
    second = ours(first, "gradients-not-cleared")
    assert rounds(text, *runs, healthy()) == [first, second, ours(second, "schedule-out-of-step")]
    found = tried(text, *runs, healthy())
    assert [bug.how for bug in found.bugs] == [
        *("run", "raised", "run", "stands", "wrong-answer", "wrong-answer", "run")
    ]
    assert (found.score, found.seconds, found.training_seconds) == (3, 120.0, 54.0)
    # It is not the script that was handed in whose model has learned.
    assert (found.healthy.reached, found.healthy.accuracy) == (False, None)
    assert notes(found) == {"own-account"}


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (MENDED, [healthy()]),
        (UNTOUCHED, [shows("removed-import")]),
        ("print()\n" + MENDED, [shows("dropout-in-evaluation")]),
        (OWN_WAY, [healthy()]),
        (TAMPERS + own(UNTOUCHED, "removed-import"), [shows("text-in-batch")]),
        # What is not ours is not ours to mend either.
        ("None.backward()\n", [shows("missing-labels")]),
        ("print()\n" + UNTOUCHED, [[START, unknown("KeyError", "'x'"), FAILED]]),
        # The lines that were to be mended are mended, and yet it bites.
        ("print()\n" + UNTOUCHED, [shows("removed-import")] * 2),
        ("print()\n" + UNTOUCHED, [[START]]),
        ("print()\n" + UNTOUCHED, [[START, event("train", labels=7), END]]),
    ],
)
def test_nothing_runs_again_that_would_tell_no_more(text: str, runs: list[list[Event]]) -> None:
    assert len(rounds(text, *runs)) == len(runs) - 1


def test_where_all_has_been_seen_it_is_enough() -> None:
    text = "print()\n" + UNTOUCHED
    runs = [shows(fault) for fault in FAULTS if fault != HIDDEN]
    assert len(rounds(text, *runs)) == 5
    found = tried(text, *runs)
    assert [bug.how for bug in found.bugs] == [
        *["raised"] * 3, "stands", *["wrong-answer"] * 3,
    ]  # fmt: skip
    assert (found.score, found.new_faults, notes(found)) == (0, (), set())


def test_an_error_that_only_shows_then_may_be_of_our_own_making() -> None:
    text = own(UNTOUCHED, "removed-import")
    second = [START, unknown("NameError", "name 'x' is not defined"), FAILED]
    found = tried(text, shows("text-in-batch"), second)
    assert (found.score, how(found)["removed-import"], found.new_faults) == (0, "stands", ())
    # It did not bite where it should have.
    assert figures_of(found, "undecided") == {"faults": "removed-import"}


def test_a_bug_whose_lines_stand_is_gone_if_the_run_got_past_it() -> None:
    text = own(ours(UNTOUCHED, *(f for f in FAULTS if f != SILENT[0])), SILENT[0])
    found = tried(text, healthy())
    assert (how(found)[SILENT[0]], found.score) == ("run", 8)
    assert figures_of(found, "own-account") == {"faults": SILENT[0]}


def test_our_fix_does_not_help_where_the_fault_still_bites() -> None:
    text = MENDED + "\nNone.backward()\n"
    found = tried(text, [*healthy()[:-1], known("missing-labels"), FAILED])
    assert (how(found)["missing-labels"], found.score) == ("raised", 6)


@pytest.mark.parametrize(
    ("problem", "run"),
    [
        ("batch-of-one", train(batch_size=1)),
        ("fewer-examples", train(examples=400)),
        ("fewer-labels", train(labels={"1": 1080})),
    ],
)
def test_a_training_that_goes_round_a_bug_is_no_way_past_it(problem: str, run: Event) -> None:
    text = own(ours(UNTOUCHED, "removed-import"), "text-in-batch", "missing-labels")
    found = tried(text, [START, run, LOSS, ledger(SILENT[0]), STOPPED, END])
    assert {bug.how for bug in found.bugs[1:3]} == {"stands"}
    assert problem in notes(found)
    assert found.score == 1
    other = text.replace('["idx"]', '("idx",)')
    found = tried(other, [START, run, LOSS, ledger(SILENT[0]), STOPPED, END])
    assert how(found)["text-in-batch"] == "withheld"


def test_what_a_stopped_run_had_seen_of_its_data_is_not_all_there_is() -> None:
    run = shows(SILENT[0])
    assert trained(60, 480) in run
    found = tried(own(ours(UNTOUCHED, "removed-import"), "missing-labels"), run)
    assert "fewer-examples" not in notes(found)
    assert how(found)["missing-labels"] == "run"


def test_without_a_metric_the_training_still_tells() -> None:
    found = tried(OWN_WAY, [START, train(), LOSS, ledger(), trained(), END])
    assert how(found)["missing-labels"] == how(found)["gradients-not-cleared"] == "run"
    assert not {bug.fault for bug in found.bugs if bug.gone} & {"dropout-in-evaluation"}
    assert "no-metric" in notes(found)


def test_the_rubric_says_what_each_is_worth() -> None:
    rubric = Rubric(bug=2, healthy=4, points={"missing-labels": 0.5}, margin=0.3, epochs=7)
    found = tried(MENDED, healthy(), rubric=rubric)
    assert (found.score, found.max_score) == (12.5, 16.5)
    assert figures_of(found, "own-evaluation") == {"accuracy": 0.9, "baseline": 0.6667}
    assert (found.healthy.margin, found.healthy.epochs) == (0.3, None)


# What no run shows here.


def test_a_bug_that_needs_another_device_is_decided_by_the_text() -> None:
    mended = ours(UNTOUCHED, *(fault for fault in FAULTS if fault != HIDDEN))
    other = mended.replace("model(**batch).loss", "model(**move(batch)).loss")
    for text, said in (
        (MENDED, "text"),
        (mended, "stands"),
        (OWN_WAY, "text"),
        ("print()\n" + mended, "stands"),
        (other, "stands"),
        (other.replace("in train_loader", "in (train_loader)"), "not-reached"),
    ):
        found = tried(text, healthy(), bugs=[HIDDEN])
        assert how(found) == {HIDDEN: said}


MOVES = "def move(batches):\n    for batch in batches:\n        yield batch.to(device)\n\n\n"


@pytest.mark.parametrize(
    ("before", "loader", "given", "said"),
    [
        (MOVES, "move(train_loader)", "**batch", "run"),
        ("", "train_loader", "**batch.to(device)", "run"),
        (MOVES.replace(".to(device)", ""), "move(train_loader)", "**batch", "not-reached"),
        ("", "train_loader", "**{**batch}", "stands"),
    ],
)
def test_batches_that_the_script_moves_in_its_own_words_are_seen_where_nothing_fails(
    before: str, loader: str, given: str, said: str
) -> None:
    mended = ours(UNTOUCHED, *(fault for fault in FAULTS if fault != HIDDEN))
    text = before + mended.replace("in train_loader", f"in {loader}")
    text = text.replace("model(**batch).loss", f"model({given}).loss")
    run = [each for each in healthy() if each["event"] != "ledger"]
    run.insert(-1, ledgers.at_lines(text, "model(**"))
    found = tried(text, run, bugs=[HIDDEN])
    assert how(found) == {HIDDEN: said}
    tampers = tried(TAMPERS + text, run, bugs=[HIDDEN])
    assert not gone(tampers)


def test_a_trainer_moves_the_batches_itself() -> None:
    mended = ours(UNTOUCHED, *(fault for fault in FAULTS if fault != HIDDEN))
    other = mended.replace("in train_loader", "in others(train_loader)")
    run = healthy()
    by_trainer = [*run[:2], figures(steps_before=0.0), *run[2:]]
    assert how(tried(other, run, bugs=[HIDDEN])) == {HIDDEN: "not-reached"}
    assert how(tried(other, by_trainer, bugs=[HIDDEN])) == {HIDDEN: "run"}


def test_a_fault_of_the_same_stage_in_the_place_of_a_bug_refutes_nothing() -> None:
    """The first text twice is no pair either."""
    part = lesson.load("ch3-2").parts["pt"]
    drawn = ["separate-texts", "padding-to-maximum"]
    bugs = [bug for bug in part.known if bug.fault in drawn]
    text = part.text([bugs[1]]).replace("def tokenize(", "def tokenized(")
    known = figures(
        **{"pairs_share": 0.0, "texts_tokenized": 1.0, "texts_in_ids": 1.0},
        **{"padding_factor": 1.0, "width_follows": 1.0},
    )
    signs = vitals(accuracy=0.68)
    signs["data"] |= {"text_columns": 2, "texts_in_ids": 1}
    run = [signs if each["event"] == "vitals" else each for each in healthy(accuracy=0.68)]
    found = tried(text, [*run[:2], known, *run[2:]], bugs=drawn, part=part)
    assert how(found)["separate-texts"] in ("missing", "stands")
    assert [each.fault for each in found.new_faults] == ["input-left-out"]


def test_the_teacher_is_told_where_such_a_bug_is_all_that_is_left() -> None:
    mended = ours(UNTOUCHED, *(fault for fault in FAULTS if fault != HIDDEN))
    other = mended.replace("in train_loader", "in move(train_loader)")
    found = tried(other, healthy())
    assert figures_of(found, "hidden") == {"fault": HIDDEN}
    # Nothing says that it is still there.
    assert found.score == 7
    assert "hidden" not in notes(tried(other, shows("gradients-not-cleared")))
    for text in (mended, "print()\n" + mended):
        assert tried(text, healthy()).score == 6


# Tampering.


def test_of_a_script_that_tampers_only_the_text_counts() -> None:
    text = TAMPERS + own(ours(UNTOUCHED, *FAULTS[:2], HIDDEN), "missing-labels", *SILENT)
    found = tried(text, healthy())
    assert gone(found) == {*FAULTS[:2], HIDDEN}
    assert {bug.how for bug in found.bugs if not bug.gone} == {"withheld"}
    assert {bug.how for bug in tried(text, [START, END]).bugs if not bug.gone} == {"stands"}
    assert (found.score, found.healthy and found.healthy.points) == (3, 0)
    assert figures_of(found, "tampering") == {"line": 3, "what": "gc.get_objects"}
    assert notes(found) == {"tampering"}


def test_a_script_that_tampers_does_not_reach_the_outcome_with_our_own_fixes() -> None:
    found = tried(TAMPERS + MENDED, healthy(accuracy=1.0))
    assert (found.score, notes(found)) == (7, {"tampering"})


# Hostile runs.


def test_a_line_that_makes_a_fault_bite_gets_nobody_past_the_others() -> None:
    found = tried("None.backward()\n", shows("missing-labels"))
    assert found.score == 0
    assert how(found)["removed-import"] == how(found)["dropout-in-evaluation"] == "not-reached"
    assert figures_of(found, "undecided")["faults"].startswith("removed-import, text-in-batch")


EMPTIED = {
    "a script that does nothing": "print('accuracy: 1.0')\n",
    "the training deleted": OWN_WAY[: OWN_WAY.index("# ## Training")],
    "our fixes beside it": "",
}


@pytest.mark.parametrize("name", EMPTIED)
@pytest.mark.parametrize("run", [[START, END], [START], []])
def test_a_script_without_a_training_shows_nothing(name: str, run: list[Event]) -> None:
    found = tried(EMPTIED[name], run)
    assert gone(found) <= {HIDDEN}
    assert not found.healthy.reached


def test_an_error_that_is_caught_is_no_error_mended() -> None:
    lines = "".join(f"    {line}" for line in UNTOUCHED.splitlines(keepends=True))
    text = f"try:\n{lines}\nexcept Exception:\n    pass\n"
    found = tried(text, [START, END])
    assert (found.score, set(how(found).values())) == (0, {"stands"})
    caught = [START, train(), known("missing-labels", "failed"), END]
    found = tried(own(text, "removed-import"), caught)
    assert (found.score, how(found)["missing-labels"]) == (0, "raised")
    assert "swallowed" in notes(found)


NONSENSE: dict[str, Event] = {
    "another format": event("start", format=2, versions={}),
    "no event of ours": event("ready", reached="training"),
    "words for figures": event("figures", values={"width": "none"}),
    "no figures": event("figures"),
    "a number without end": event("trained", step=10**400, seconds=10**400),
    "a list": evaluate([0.9]),
    "fewer than none": evaluate(0.9, labels={"1": -1}),
    "too many": evaluate(0.9, examples=10**400),
    "no labels": event("train", labels=7),
    "another key": train(healthy=True),
}


@pytest.mark.parametrize("name", NONSENSE)
@pytest.mark.parametrize("at", [5, 6])
def test_of_a_run_that_reports_nonsense_nothing_is_believed(name: str, at: int) -> None:
    run = healthy()
    found = tried(OWN_WAY, [*run[:at], NONSENSE[name], *run[at:]])
    assert (found.score, gone(found)) == (1, {HIDDEN})
    assert "unreadable" in notes(found)
    # What is ours to read is not touched by it.
    assert tried(MENDED, [*run[:at], NONSENSE[name], *run[at:]]).score == 7


@pytest.mark.parametrize("accuracy", [99, -1, math.nan, math.inf])
def test_an_accuracy_that_can_be_none_is_no_outcome(accuracy: float) -> None:
    for text in (MENDED, OWN_WAY):
        found = tried(text, healthy(accuracy=accuracy))
        assert found.score <= 7
        assert (found.healthy.reached, found.healthy.accuracy) == (False, None)


def test_events_without_end_are_no_record() -> None:
    flood = [LOSS] * (run_evidence.EVENTS + 1)
    began = time.process_time()
    found = tried(OWN_WAY, [START, train(), *flood, *healthy()[2:]])
    assert (found.score, notes(found) >= {"unreadable"}) == (1, True)
    assert time.process_time() - began < 20


def test_a_limit_is_the_status_and_the_text_counts() -> None:
    done = Done("time-limit", -9, "", 180.0)
    for text, score in ((MENDED, 7), (OWN_WAY, 1)):
        found = tried(text, healthy()[:-1], done=done)
        assert (found.status, found.score) == ("time-limit", score)
        assert "time-limit" in notes(found)
        assert "died" not in notes(found)


def test_a_box_that_did_not_close_is_a_failure_of_ours() -> None:
    found = tried(MENDED, [], done=Done(None, 1, "", 1.0, "mount: not permitted"))
    assert found.status == "internal-error"


EVENTS = events_of(
    [
        *("start", "line", "train", "step", "loss", "log", "evaluate", "trained", "figures"),
        *("exception", "failed", "stopped", "look", "end", "ready", "answer"),
    ],
    [
        *("format", "versions", "values", "step", "mean", "seconds", "cpu", "examples", "labels"),
        *("batch_size", "type", "mro", "message", "frames", "owner", "module", "file", "function"),
        *("line", "text", "script", "raises", "device", "worker", "exit", "index", "output"),
        "error",
    ],
    ["eval_accuracy"],
)


@given(said=st.lists(EVENTS, max_size=8), at=st.integers(0, 7))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_events_without_sense_break_nothing_and_earn_nothing(
    said: list[Event], at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = healthy()
    assert tried("print()\n", [*run[:at], *said, *run[at:]][:6]).score == 0


# Faults of the student's own.


def test_an_exception_of_ones_own_is_named_with_its_line_or_cell() -> None:
    run = [START, unknown("KeyError", "'sentence'", 3), FAILED]
    (fault,) = tried(MENDED, run).new_faults
    found = (fault.fault, fault.exception, fault.message)
    assert found == ("key-not-found", "KeyError", "'sentence'")
    assert (fault.line, fault.cell) == (3, None)
    cells = "# %% [4]\nx = 1\nprint(y)\n" + MENDED
    (fault,) = tried(cells, run).new_faults
    assert (fault.line, fault.cell) == (2, 4)
    for line in (0, -3, 5000, None):
        (fault,) = tried(MENDED, [START, unknown("KeyError", "'x'", line), FAILED]).new_faults
        assert fault.line is None


def test_a_fault_of_the_catalogue_is_named_if_it_was_not_drawn() -> None:
    found = tried(MENDED, shows("missing-labels"), bugs=FAULTS[:2])
    assert [f.fault for f in found.new_faults] == ["missing-labels"]
    assert (found.score, found.max_score) == (2, 3)
    assert tried(PART.text(PART.bugs[2:3]), shows("missing-labels")).new_faults == ()


def test_a_silent_one_is_too() -> None:
    text = MENDED.replace("model.train()\n", "model.eval()\n")
    found = tried(text, healthy("no-dropout-in-training"))
    assert [(f.fault, f.exception) for f in found.new_faults] == [("no-dropout-in-training", None)]
    assert found.score == 7


@pytest.mark.parametrize(
    ("name", "message"),
    [("bdb.BdbQuit", ""), ("builtins.EOFError", "EOF when reading a line")],
)
def test_a_script_that_asks_where_nobody_answers_is_said_to_do_so(name: str, message: str) -> None:
    done = tried("x = 1\nask()\n", [START, unknown("", message, 2, type=name), FAILED])
    other = tried("x = 1\nask()\n", [START, unknown("KeyError", "", 2), FAILED])
    assert figures_of(done, "asks") == {"line": 2}
    # It costs what any exception would.
    assert (done.score, how(done)) == (other.score, how(other))
    assert notes(other) == notes(done) - {"asks"}


def test_a_script_that_python_cannot_read_is_said_to_be_so() -> None:
    error = unknown("SyntaxError", "invalid syntax", 2)
    found = tried("x = 1\ndef f(:\n", [START, error, FAILED])
    assert figures_of(found, "syntax") == {"line": 2}
    # Its bugs have not been mended in other words.
    assert notes(found) == {"syntax"}
    assert (found.score, set(how(found).values())) == (0, {"not-reached"})


# The run itself.


def examined(place: Path, text: str, *runs: list[Event]) -> tuple[Grade, list[str], FakeBox]:
    """Examine a text whose runs go so: its grade, and what ran."""

    def run(number: int, heard: Callable[..., None], desk: JobMailbox) -> Done:
        for each in runs[number - 1]:
            heard(each, desk)
        return replace(OVER, seconds=100.0)

    box, exercise = FakeBox(place, run), AssignedExercise(PART, PART.bugs)
    rubric = Rubric().settled(PART.outcome)
    found = by_run.examine(cast("Sandbox", box), exercise, text, rubric, "s01")
    assert {name for _script, name in box.scripts} == {"ch3-4-pt.py"}
    # The bug that is a dropped name is to bite.
    assert not any("transformers.AdamW" in given["adapts"]["names"] for given in box.given)
    return found, [script.decode() for script, _name in box.scripts], box


def test_a_submission_runs_once(tmp_path: Path) -> None:
    found, scripts, box = examined(tmp_path, MENDED, healthy())
    assert (found.score, scripts) == (8, [MENDED])
    assert box.given[0]["limits"] == JobLimits()


def test_or_more_often_until_no_bug_is_open(tmp_path: Path) -> None:
    text = "\ufeff" + own(UNTOUCHED, "removed-import").replace("\n", "\r\n")
    runs = [shows("text-in-batch"), shows("missing-labels"), healthy()]
    found, scripts, box = examined(tmp_path, text, *runs)
    assert found.score == 4
    assert scripts[:2] == [text, ours(text, "text-in-batch")]
    assert len(scripts) == 3
    # What a run took of the processor is not there for the next; how busy it was is no matter.
    limits = [given["limits"] for given in box.given]
    assert all(each.wall == 180.0 and each.cpu <= 180.0 for each in limits)


def test_a_training_ends_as_soon_as_a_silent_fault_is_certain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[str] = []
    monkeypatch.setattr(JobMailbox, "put", lambda self, name, value: put.append(name))
    monkeypatch.setattr(run_evidence, "PAUSE", 0.0)
    for run, wanted in ((healthy(), False), (shows(SILENT[0]), True), ([train()], False)):
        put.clear()
        hearing = Hearing(PART.outcome, frozenset(BUGS))
        for each in run:
            hearing.heard(each, JobMailbox(tmp_path))
        assert put == (["stop"] if wanted else [])


def test_it_is_not_asked_at_each_word_whether_that_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(run_evidence, "should_stop", lambda *about: bool(asked.append(about)))
    hearing = Hearing(PART.outcome, frozenset(BUGS))
    for _ in range(1000):
        hearing.heard(LOSS, JobMailbox(tmp_path))
    assert 1 <= len(asked) <= 20


OTHER_WORDS = OWN_WAY.replace("        schedule.step()\n", "    schedule.step(None)\n")
"""A schedule that is still out of step, where our own fix has no place any more."""


@pytest.mark.parametrize("counts_by_hand", [False, True])
def test_a_silent_bug_in_other_words_hides_none_behind_it(counts_by_hand: bool) -> None:
    run = healthy("schedule-out-of-step")
    if counts_by_hand:
        run = [each for each in run if each["event"] != "evaluate"]
    found = tried(OTHER_WORDS, run)
    assert gone(found) == set(FAULTS) - {"schedule-out-of-step"}
    assert how(found)["schedule-out-of-step"] == "wrong-answer"
    assert how(found)["dropout-in-evaluation"] == "run"
    assert not found.healthy.reached


def test_a_run_is_stopped_only_for_what_we_can_mend() -> None:
    settled = Rubric().settled(PART.outcome)
    stopped_for = {
        text: RunTrial(AssignedExercise(PART, PART.known), settled, text).faults
        for text in (UNTOUCHED, OTHER_WORDS)
    }
    assert "schedule-out-of-step" in stopped_for[UNTOUCHED]
    assert "schedule-out-of-step" not in stopped_for[OTHER_WORDS]


# Two trainings, of which the last is not the first; a metric that nobody computes.

TWICE = lesson.load("ch3-3").parts["pt"]
UNSCORED = "    compute_metrics=score,\n"


def two_trainings(outputs: float, *, metric: bool) -> list[Event]:
    """Make a run of ch3-3: a first training with so many outputs, then one that is right."""
    first = [train(batch_size=16), figures(outputs=outputs, classes=2.0), LOSS, trained()]
    said = evaluate(0.9) if metric else evaluate(values={"eval_loss": 0.2})
    second = [train(batch_size=16), figures(outputs=2.0, classes=2.0), LOSS, said, trained()]
    return [START, *first, *second, vitals(accuracy=0.9 if metric else None), END]


def test_what_the_first_training_has_shown_the_second_does_not_undo() -> None:
    text = "import json\n" + TWICE.text(
        tuple(b for b in TWICE.bugs if b.fault == "regression-head")
    )
    found = tried(
        text, two_trainings(1.0, metric=True), bugs=[b.fault for b in TWICE.bugs], part=TWICE
    )
    assert how(found)["regression-head"] == "wrong-answer"
    assert gone(
        tried(TWICE.text(()), two_trainings(2.0, metric=True), part=TWICE, bugs=["regression-head"])
    ) == {"regression-head"}


def test_a_metric_that_nobody_computes_is_not_mended_behind_a_silent_bug() -> None:
    """Where the head bites silently, that the metric is not even there is seen all the same."""
    kept = {"regression-head", "size-1-array"}
    text = TWICE.text(tuple(b for b in TWICE.bugs if b.fault in kept))
    assert UNSCORED in text
    said = evaluate(values={"eval_loss": 0.2})
    one = figures(outputs=1.0, classes=2.0)
    run = [START, train(batch_size=16), one, LOSS, said, trained(), vitals(accuracy=0.5), END]
    found = tried(text.replace(UNSCORED, ""), run, bugs=kept, part=TWICE)
    assert gone(found) == set()
    assert how(found) == {"regression-head": "wrong-answer", "size-1-array": "stands"}
