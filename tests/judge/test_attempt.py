"""Judging a working copy: by what its run shows, whatever its text has become."""

from dataclasses import replace

import pytest

from course.cli.terminal.json_output import step_document
from course.judge import messages
from course.judge.attempt import Attempt, judge_attempt
from course.judge.verdict import describe_problem
from course.lesson import lesson
from course.lesson.bug import BugPlaces, PlaceText
from course.lesson.signature import SilentSignature
from course.render import run_blocks
from course.render.blocks import Paragraph
from course.runs.record import Raised, RunRecord
from course.runs.vital_signs import OutcomeSigns, VitalSigns
from tests import ledgers
from tests.exercise.watch.made import stored

PART = lesson.load("ch8-4").parts["pt"]
FAULTS = [b.fault for b in PART.bugs]


def judged(record: RunRecord, *faults: str) -> Attempt:
    bugs = tuple(b for b in PART.bugs if b.fault in (faults or FAULTS))
    return judge_attempt(PART, bugs, record)


HEALTHY = replace(stored("none.healthy"), measured=())


@pytest.mark.parametrize("number", range(4))
def test_what_bites_is_named_and_what_comes_before_it_is_behind(number: int) -> None:
    attempt = judged(stored(FAULTS[number]))
    assert attempt.verdict.step == attempt.verdict.expected == FAULTS[number]
    assert attempt.verdict.matched
    assert attempt.bug is PART.bugs[number]
    assert attempt.behind == tuple(FAULTS[:number])
    assert not attempt.new
    assert not attempt.healthy


def test_only_the_exercises_own_bugs_can_be_behind() -> None:
    assert judged(stored(FAULTS[3]), FAULTS[1], FAULTS[3]).behind == (FAULTS[1],)
    assert judged(HEALTHY, FAULTS[2]).behind == (FAULTS[2],)


def test_a_fault_of_the_lesson_that_was_not_drawn_is_the_learners_own() -> None:
    attempt = judged(stored("target-out-of-bounds"), "length-mismatch")
    assert attempt.new
    assert attempt.bug is None
    assert attempt.behind == ("length-mismatch",)


@pytest.mark.parametrize("name", ["dataset-from-evaluate.map", "missing-import.numpy"])
def test_a_fault_from_outside_the_lesson_is_named(name: str) -> None:
    attempt = judged(stored(name))
    assert attempt.new
    assert attempt.verdict.step == name.split(".")[0]
    assert attempt.behind is None


@pytest.mark.parametrize("name", ["none.own-raise", "none.other-library"])
def test_a_failure_nobody_knows_is_the_learners_own(name: str) -> None:
    attempt = judged(stored(name))
    assert attempt.new
    assert (attempt.verdict.step, attempt.verdict.problem) == ("healthy", "unknown")
    assert attempt.behind is None


def hidden(**changes: object) -> Attempt:
    assert HEALTHY.training is not None
    names = set(vars(HEALTHY.training))
    training = {k: v for k, v in changes.items() if k in names}
    rest = {k: v for k, v in changes.items() if k not in names}
    record = replace(HEALTHY, training=replace(HEALTHY.training, **training))  # type: ignore[arg-type]
    return judged(replace(record, **rest))  # type: ignore[arg-type]


EVALUATION = HEALTHY.evaluations[-1]
UNCOUNTED = replace(HEALTHY.vitals or VitalSigns(), outcome=OutcomeSigns())
"""Of a run whose model was asked nothing."""


@pytest.mark.parametrize(
    ("attempt", "problem", "says"),
    [
        (hidden(batch_size=1), "batch-of-one", "hide the missing padding"),
        (hidden(labels={"0": 1215, "1": 1215}), "fewer-labels", "Only 2 of the 3 labels"),
        (hidden(examples=8), "fewer-examples", "only 8 of the 2430 examples"),
        (hidden(evaluations=(), vitals=UNCOUNTED), "no-metric", "`accuracy`"),
        (
            hidden(evaluations=(replace(EVALUATION, examples=8),)),
            "other-evaluation",
            "It used 8.",
        ),
        (
            hidden(evaluations=(replace(EVALUATION, examples=2430),)),
            "other-evaluation",
            "It used 2430.",
        ),
        (
            hidden(evaluations=(replace(EVALUATION, labels={"0": 153, "1": 153}),)),
            "evaluation-labels",
            "Not all of the 3 labels",
        ),
        (hidden(steps=0), "no-training", "without training"),
        (hidden(training=None), "no-training", "without training"),
    ],
)
def test_going_round_a_bug_is_not_healthy_and_is_told(
    attempt: Attempt, problem: str, says: str
) -> None:
    assert not attempt.healthy
    assert (attempt.verdict.problem, attempt.verdict.matched) == (problem, False)
    assert says in describe_problem(attempt.verdict, attempt.outcome)
    assert not attempt.new


CAUGHT = Raised("builtins.ValueError", ("builtins.ValueError",), "first try")


@pytest.mark.parametrize(
    "attempt",
    [
        judged(HEALTHY),
        hidden(steps=HEALTHY.training.steps - 300 if HEALTHY.training else 0),
        hidden(examples=2400),
        hidden(swallowed=(CAUGHT,)),
    ],
    ids=["whole", "ended by a control of its own", "a few examples cleaned out", "caught"],
)
def test_what_is_healthy(attempt: Attempt) -> None:
    assert attempt.healthy
    assert (attempt.verdict.step, attempt.verdict.match, attempt.bug) == ("healthy", None, None)


def heard(**signs: dict[str, object]) -> VitalSigns:
    vitals = HEALTHY.vitals or VitalSigns()
    return replace(vitals, **{k: replace(getattr(vitals, k), **v) for k, v in signs.items()})  # type: ignore[arg-type]


BELOW = heard(outcome={"accuracy": 0.4, "margin": 0.07, "gain": 0.02, "loss_gain": 0.01})
SPARE = {"outputs": 2000.0, "classes": 3.0, "spare_outputs": 1997.0}


@pytest.mark.parametrize(
    ("attempt", "fault", "says"),
    [
        (hidden(labels={"0": 1215, "1": 1215}), "labels-left-out", "of the 3 labels"),
        (hidden(examples=8), "examples-left-out", "for the training: 2430"),
        (hidden(evaluations=(replace(EVALUATION, examples=8),)), "examples-left-out", "used: 8"),
        (
            hidden(evaluations=(replace(EVALUATION, labels={"0": 153, "1": 153}),)),
            "labels-left-out",
            "evaluation",
        ),
        (hidden(vitals=BELOW, max_steps=6, steps=6, batch_size=1000), "too-few-steps", "6 steps"),
        (hidden(vitals=BELOW, figures=SPARE), "too-many-outputs", "each example: 2000"),
        (hidden(vitals=BELOW), None, ""),
        (hidden(vitals=heard(outcome={"gain": 0.0, "loss_gain": 0.01})), None, ""),
    ],
)
def test_a_problem_has_the_name_of_the_fault_behind_it(
    attempt: Attempt, fault: str | None, says: str
) -> None:
    match = attempt.verdict.match
    assert (match.fault.id if match else None) == fault
    assert attempt.verdict.problem is not None
    assert not attempt.healthy
    if match is not None:
        assert isinstance(match.signature, SilentSignature)
        told = messages.silent(match.signature, attempt.verdict.metrics)
        assert says in told
        assert "not measured" not in told


def test_what_a_stopped_training_had_seen_is_not_all_that_it_would_have() -> None:
    seen = heard(data={"examples": 16, "classes": 2})
    attempt = hidden(examples=1215, vitals=seen, status="stopped")
    assert attempt.verdict.metrics["lesson.train_examples"] == 1215


def before(**changes: dict[str, object]) -> Attempt:
    """The healthy run with a training before it, whose signs are changed."""
    signs = heard(**changes)
    figures = dict(signs.figures())
    earlier = RunRecord("finished", training=HEALTHY.training, vitals=signs, figures=figures)
    return judged(replace(HEALTHY, earlier=(earlier,)))


@pytest.mark.parametrize(
    "after",
    [
        {"model": {"evaluated_is_trained": 0}},
        {"outcome": {"accuracy": None, "rows": None, "margin": None}},
        {"outcome": {"split": "test", "rows": 12}},
    ],
    ids=["an average of the weights", "texts without labels", "another split"],
)
def test_the_evaluation_that_was_asked_for_counts_whatever_follows(
    after: dict[str, dict[str, object]],
) -> None:
    signs = heard(**after)
    last = replace(HEALTHY, vitals=signs, figures=dict(signs.figures()))
    assert not judged(last).healthy
    assert judged(replace(last, measured=(heard(), signs))).healthy
    below = heard(outcome={"margin": 0.05})
    assert not judged(replace(last, measured=(below,))).healthy


def test_each_training_has_to_learn() -> None:
    assert before().healthy
    assert not before().verdict.of_earlier
    assert before(outcome={"gain": None, "loss_gain": None}).healthy
    below = before(outcome={"margin": 0.05})
    assert below.verdict.problem == "below-baseline"
    assert below.verdict.vitals.outcome.margin == 0.05
    assert below.verdict.of_earlier
    (told,) = run_blocks.earlier(below.verdict)
    assert isinstance(told, Paragraph)
    assert "not in the last one" in told.text
    swapped = before(outcome={"given_answers": 0.7, "given_swapped": 1.0})
    assert swapped.verdict.match is not None
    assert swapped.verdict.match.fault.id == "predictions-and-labels-swapped"


def test_an_error_that_the_script_catches_still_bites() -> None:
    raised = stored("length-mismatch").raised
    assert raised is not None
    attempt = judged(RunRecord("finished", swallowed=(raised,)))
    assert attempt.verdict.step == "length-mismatch"
    assert (attempt.verdict.problem, attempt.verdict.matched) == ("swallowed", False)
    assert attempt.bug is PART.bugs[1]
    assert attempt.behind == ("missing-input-ids",)


@pytest.mark.parametrize(
    "status", ["died", "time-limit", "output-limit", "unreadable", "interrupted"]
)
def test_a_run_that_came_to_no_end_tells_nothing(status: str) -> None:
    attempt = judged(RunRecord(status))  # type: ignore[arg-type]
    assert attempt.verdict.problem == status
    assert attempt.behind is None
    assert not attempt.healthy
    assert not attempt.new


def test_several_faults_at_once_are_not_guessed_at(monkeypatch: pytest.MonkeyPatch) -> None:
    from course.judge import attempt as module
    from course.lesson.catalogue import Match, catalogue

    two = [Match(f, f.signatures[0]) for f in list(catalogue().values())[:2]]
    monkeypatch.setattr(module, "matches", lambda record: two)
    attempt = judged(stored("length-mismatch"))
    assert attempt.verdict.problem == "several"
    assert attempt.bug is None
    told = describe_problem(attempt.verdict, attempt.outcome)
    assert all(f"`{match.fault.id}`" in told for match in two)
    document = step_document(attempt.verdict, stored("length-mismatch"), warm=True)
    assert document["candidates"] == [match.fault.id for match in two]


def test_a_score_that_is_not_enough_is_told_beside_the_one_that_would_be() -> None:
    attempt = hidden(vitals=BELOW)
    assert attempt.verdict.problem == "below-baseline"
    told = describe_problem(attempt.verdict, attempt.outcome)
    assert "40.0%" in told
    assert "33.3%" in told
    assert "20 percentage points" in told


def placed(record: RunRecord, places: BugPlaces) -> Attempt:
    """Judged beside what stands at the places of some bugs; the others are as they should be."""
    healthy: BugPlaces = {bug.fault: ("healthy",) * len(bug.edits) for bug in PART.bugs}
    return judge_attempt(PART, PART.bugs, record, places={**healthy, **places})


LENGTH, LABELS, ARRAY = FAULTS[1:]


@pytest.mark.parametrize(
    ("places", "behind", "partly"),
    [
        ({}, FAULTS[:2], ()),
        ({LENGTH: ("healthy", "buggy")}, FAULTS[:1], (LENGTH,)),
        ({LENGTH: ("changed", "buggy")}, FAULTS[:1], (LENGTH,)),
        ({LENGTH: ("changed", "healthy")}, FAULTS[:1], (LENGTH,)),
        ({LENGTH: ("changed", "changed")}, FAULTS[:1], (LENGTH,)),
        # Mended elsewhere, by a collator that has another name, say.
        ({LENGTH: ("buggy", "buggy")}, FAULTS[:1], (LENGTH,)),
    ],
)
def test_a_bug_is_behind_when_each_of_its_places_is_mended(
    places: BugPlaces, behind: list[str], partly: tuple[str, ...]
) -> None:
    attempt = placed(stored(LABELS), {LABELS: ("buggy",), **places})
    assert attempt.bug is PART.bugs[2]
    assert (attempt.behind, attempt.partly) == (tuple(behind), partly)


@pytest.mark.parametrize(("stands", "mended"), [("buggy", False), ("changed", True)])
def test_of_a_bug_with_one_place_the_run_tells_what_was_made_of_it(
    stands: PlaceText, mended: bool
) -> None:
    attempt = placed(stored(ARRAY), {LABELS: (stands,), ARRAY: ("buggy",)})
    assert (LABELS in (attempt.behind or ())) is mended
    assert (LABELS in attempt.partly) is not mended


def test_what_is_silent_and_stands_in_the_text_does_not_seem_mended() -> None:
    part = lesson.load("ch3-4").parts["pt"]
    bugs = tuple(bug for bug in part.bugs if bug.fault != "devices-differ")
    record = RunRecord("finished", ledger=ledgers.event(passes={"dropping": 1}))
    places: BugPlaces = {bug.fault: ("buggy",) * len(bug.edits) for bug in bugs}
    attempt = judge_attempt(part, bugs, record, places=places)
    assert attempt.bug is bugs[-1]
    assert attempt.partly == ("removed-import", "text-in-batch", "missing-labels")


def test_a_healthy_run_has_all_places_behind_it_whatever_the_text() -> None:
    attempt = placed(HEALTHY, {LENGTH: ("buggy", "changed")})
    assert (attempt.behind, attempt.partly) == (tuple(FAULTS), ())


def test_a_fault_whose_bug_is_out_of_the_text_comes_from_something_else() -> None:
    attempt = placed(stored(LABELS), {})
    assert attempt.verdict.step == LABELS
    assert (attempt.bug, attempt.mended, attempt.new) == (None, PART.bugs[2], True)
    assert attempt.behind == tuple(FAULTS[:3])
    assert judged(stored(LABELS)).mended is None
    partly = placed(stored(LENGTH), {LENGTH: ("healthy", "buggy")})
    assert (partly.bug, partly.mended, partly.right) == (PART.bugs[1], None, 1)
