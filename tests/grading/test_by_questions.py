"""The examination: marks come of right answers and of weights, never of what a process claims."""

import itertools
import json
import random
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from course.exercise.header import Header
from course.grading import grade, note
from course.grading.engine import by_questions, text_evidence
from course.grading.engine.by_questions import Sitting
from course.grading.engine.text_evidence import AssignedExercise
from course.grading.grade import Grade
from course.grading.reference.dataset import EVALUATION, TRAIN
from course.grading.rubric import Rubric
from course.lesson import lesson
from course.lesson.catalogue import Match
from course.lesson.catalogue import matches as look_up
from course.runs.record import RunRecord
from course.runs.sandbox.bubblewrap import Done, JobMailbox
from tests.grading import small
from tests.grading.examined import events_of, gone, how, notes
from tests.grading.runs import known, unknown

PT, TF = (lesson.load("ch8-4").parts[framework] for framework in ("pt", "tf"))
FAULTS = tuple(bug.fault for bug in PT.bugs)
HEALTHY = PT.text(())
OVER = Done(None, 0, "", 3.0)
TAMPERED = "import gc\n\ngc.get_objects()\n" + HEALTHY
OWN_WAY = HEALTHY.replace("logits.argmax(axis=-1)", "logits.argmax(-1)")
"""A mended script that is not ours to the letter."""
Change = Callable[[Any], Any]

assert OWN_WAY != HEALTHY


def evaluation(
    share: Any, name: str = "", step: int = 9, examples: int = small.SIZES[EVALUATION]
) -> dict[str, Any]:
    """Make the event of an evaluation, on a dataset of this name."""
    before = f"eval_{name}_" if name else "eval_"
    values = {"loss": 0.3, "accuracy": share, "runtime": 0.2} if share is not None else {}
    named = {before + key: value for key, value in values.items()}
    figures = {"values": named, "examples": examples, "labels": {"0": 20, "1": 20, "2": 20}}
    return {"event": "evaluate", "step": step, **figures}


def error(kind: str, message: str = "", *, missing: bool = False) -> dict[str, Any]:
    return {"error": {"type": f"builtins.{kind}", "message": message, "missing": missing}}


class Process:
    """What is heard of the process that a submission runs in."""

    def __init__(
        self,
        place: Path,
        text: str = HEALTHY,
        bugs: Iterable[str] = FAULTS,
        part: lesson.Part = PT,
        rubric: Rubric | None = None,
    ) -> None:
        drawn = tuple(bug for bug in part.known if bug.fault in set(bugs))
        settled = (rubric or Rubric()).settled(part.exam)
        self.desk = JobMailbox(place)
        place.mkdir(exist_ok=True)
        self.write(small.world().weights)
        exercise = AssignedExercise(part, drawn)
        self.sitting = Sitting(exercise, settled, small.world().drawn, text, random.Random(1))

    def write(self, weights: Mapping[str, Any]) -> None:
        """Leave weights where they are looked for."""
        self.desk.weights.write_bytes(save(dict(weights)))

    def hear(self, *events: Any) -> None:
        """Let events be heard, as they come out of a journal."""
        for event in events:
            self.sitting.heard(json.loads(json.dumps(event)), self.desk)

    def told(self, name: str) -> Any:
        """Read what lies on the desk."""
        path = self.desk.place / name
        return json.loads(path.read_text()) if path.exists() else None

    def answers(
        self, change: Mapping[str, Change] | None = None, name: str = "questions.json", **more: Any
    ) -> None:
        """Answer what is asked, rightly but where it is to be changed."""
        for index, question in enumerate(self.told(name) or ()):
            fault = next(
                b.fault for b in self.sitting.exercise.part.known if b.exam == question["kind"]
            )
            value = small.answer(question)
            said = (change or {}).get(fault, lambda value: {"value": value})(value)
            self.hear({"event": "answer", "index": index, **said, **more})

    def asked(self, change: Mapping[str, Change] | None = None, reached: str = "training") -> None:
        """Everything up to the word on whether to train."""
        self.hear({"event": "ready", "reached": reached})
        self.answers(change)

    def trained(
        self,
        change: Mapping[str, Change] | None = None,
        accuracy: float | None = 1.0,
        examples: int = small.SIZES[EVALUATION],
    ) -> None:
        """Train, if that is wanted, and answer once more."""
        said = evaluation(accuracy, examples=examples)
        done = {"event": "trained", "step": 9, "seconds": 2.0}
        self.rehearsed(said, done, {"event": "weights"}, change=change)

    def rehearsed(self, *said: Any, change: Mapping[str, Change] | None = None) -> None:
        """Have this heard of a training, if one is wanted, and answer once more."""
        self.hear({"event": "answered"})
        if self.told("then.json")["do"] == "leave":
            self.hear({"event": "left", "swallowed": False})
            return
        self.hear(*said, {"event": "ready", "reached": "again"})
        self.answers(change, "again.json", again=True)

    def whole(self) -> Grade:
        """Answer all rightly, train, and be graded."""
        self.asked()
        self.trained()
        return self.graded()

    def graded(self, done: Done = OVER, *, end: bool = True) -> Grade:
        """Return the grade, which must be fit to be kept and told."""
        if end:
            self.hear({"event": "end", "seconds": 3.0, "exit": 0})
        found = by_questions.grade(self.sitting, done, "s01")
        assert grade.read(json.loads(json.dumps(found.to_dict()))) == found
        assert all(note.describe_note(each) for each in found.notes)
        return found


@pytest.fixture
def process(tmp_path: Path) -> Process:
    return Process(tmp_path)


@pytest.fixture
def unlike(tmp_path: Path) -> Process:
    """Return a script with something in it that is not ours: its parts may be of any kind."""
    return Process(tmp_path, HEALTHY + "\nlooked_at = raw\n")


def wrong(_value: Any) -> dict[str, Any]:
    return {"value": None}


def raises(_value: Any) -> dict[str, Any]:
    return error("TypeError", "only size-1 arrays can be converted to Python scalars")


# All is well.


def test_a_mended_script_trains_and_gets_every_mark(process: Process) -> None:
    process.asked()
    process.trained()
    assert process.told("then.json")["do"] == "train"
    assert process.told("then.json")["epochs"] == 0.5
    assert process.told("then.json")["repair"] == []
    found = process.graded()
    assert (found.status, found.score, found.max_score) == ("graded", 5, 5)
    assert set(how(found).values()) == {"answers"}
    assert (found.healthy.reached, found.healthy.accuracy) == (True, 1.0)
    assert (found.healthy.examples, found.healthy.epochs) == (90, 0.5)
    assert (found.stage, found.notes, found.new_faults) == ("healthy", (), ())
    assert (found.seconds, found.training_seconds) == (3.0, 2.0)


@pytest.mark.parametrize("drawn", [(fault,) for fault in FAULTS] + [FAULTS[1:3]])
def test_only_bugs_that_were_drawn_are_marked(tmp_path: Path, drawn: tuple[str, ...]) -> None:
    process = Process(tmp_path, bugs=drawn)
    found = process.whole()
    assert [bug.fault for bug in found.bugs] == list(drawn)
    assert found.score == found.max_score == len(drawn) + 1


SUBSETS = [s for n in range(1, 5) for s in itertools.combinations(FAULTS, n)]


@pytest.mark.parametrize("left", SUBSETS, ids=lambda left: "+".join(left))
@pytest.mark.parametrize("way", [wrong, raises])
def test_each_bug_is_judged_by_itself(tmp_path: Path, left: tuple[str, ...], way: Change) -> None:
    still = tuple(bug for bug in PT.bugs if bug.fault in left)
    process = Process(tmp_path, PT.text(still))
    process.asked(dict.fromkeys(left, way))
    process.trained()
    assert process.told("then.json") == {"do": "leave"}
    found = process.graded()
    assert gone(found) == set(FAULTS) - set(left)
    assert found.score == len(FAULTS) - len(left)
    assert found.stage == next(fault for fault in FAULTS if fault in left)
    said = "raised" if way is raises else "wrong-answer"
    assert {how(found)[fault] for fault in left} == {said}
    assert not found.healthy or not found.healthy.reached


def test_the_other_framework_and_its_variant_are_examined_too(tmp_path: Path) -> None:
    for number, drawn in enumerate([[b.fault for b in TF.bugs], ["stalling-loss"]]):
        process = Process(tmp_path / str(number), TF.text(()), drawn, TF)
        found = process.whole()
        assert found.score == found.max_score == len(drawn) + 1


def test_what_is_mended_in_other_words_is_rehearsed_in_the_other_framework_too(
    tmp_path: Path,
) -> None:
    """Keras has no part of a Trainer's, and ours stand in for its own all the same."""
    left = next(bug for bug in TF.bugs if bug.exam == "rate")
    text = TF.text((left,)).replace("num_labels=3", "num_labels=len({0, 1, 2})")
    for number, trains in enumerate((True, False)):
        process = Process(tmp_path / str(number), text, [b.fault for b in TF.bugs], TF)
        process.asked({left.fault: wrong})
        process.trained() if trains else process.hear({"event": "answered"})
        then = process.told("then.json")
        assert (then["do"], then["repair"], then["again"]) == ("train", ["rate"], True)
        found = process.graded()
        assert not found.healthy or not found.healthy.reached
        assert how(found)["nan-loss"] == ("answers" if trains else "withheld")
        assert found.score == len(TF.bugs) - (1 if trains else 2)


def test_the_rubric_says_what_each_is_worth(tmp_path: Path) -> None:
    rubric = Rubric(bug=2, healthy=4, points={FAULTS[1]: 0.5}, margin=0.9)
    process = Process(tmp_path, rubric=rubric)
    found = process.whole()
    assert [bug.points for bug in found.bugs] == [2, 0.5, 2, 2]
    # Right in everything, and yet no more than a third better than the baseline.
    assert (found.score, found.max_score) == (6.5, 10.5)
    assert "below-baseline" in notes(found)


# What a training shows that questions do not.


def test_a_fix_of_the_students_own_counts_after_a_training(tmp_path: Path) -> None:
    process = Process(tmp_path, OWN_WAY)
    found = process.whole()
    assert (found.score, notes(found)) == (5, set())


def test_without_the_training_it_is_withheld_and_the_teacher_is_told(tmp_path: Path) -> None:
    process = Process(tmp_path, OWN_WAY)
    process.asked()
    found = process.graded()
    assert how(found)["size-1-array"] == "withheld"
    # Our own fix stands for the others.
    assert gone(found) == set(FAULTS[:3])
    assert [dict(n.figures) for n in found.notes if n.id == "unproved"] == [
        {"fault": "size-1-array"}
    ]


def test_ours_stand_in_for_what_is_wrong_so_that_the_rest_can_train(tmp_path: Path) -> None:
    process = Process(tmp_path, OWN_WAY)
    process.asked({"length-mismatch": wrong})
    process.trained({"length-mismatch": wrong})
    then = process.told("then.json")
    assert (then["do"], then["repair"]) == ("train", ["batch"])
    found = process.graded()
    assert gone(found) == set(FAULTS) - {"length-mismatch"}
    assert (found.healthy.reached, found.healthy.accuracy) == (False, None)


@pytest.mark.parametrize("fault", FAULTS)
def test_what_no_longer_answers_after_a_training_is_not_gone(process: Process, fault: str) -> None:
    process.asked()
    process.trained({fault: wrong})
    found = process.graded()
    assert gone(found) == set(FAULTS) - {fault}
    assert found.score == 3


def test_what_only_answers_after_a_training_is_not_gone(tmp_path: Path) -> None:
    process = Process(tmp_path, OWN_WAY)
    process.asked({"size-1-array": wrong})
    process.trained()
    assert "size-1-array" not in gone(process.graded())


def test_a_fault_that_ends_the_training_is_not_gone(process: Process) -> None:
    process.asked()
    process.hear({"event": "answered"}, {**known("size-1-array"), "event": "failed"})
    found = process.graded()
    assert how(found)["size-1-array"] == "raised"
    assert found.score == 3


@pytest.mark.parametrize(
    "said", [0.5, None, float("nan"), "1.0x", [1.0], {}, 10**400], ids=lambda v: str(v)[:9]
)
def test_an_accuracy_that_is_not_that_of_the_weights_speaks_against_the_metric(
    unlike: Process, said: Any
) -> None:
    unlike.asked()
    unlike.trained(accuracy=said)
    found = unlike.graded()
    assert gone(found) == set(FAULTS) - {"size-1-array"}
    assert found.score == 3


# Ways around.


def claims(**values: Any) -> dict[str, Any]:
    usual = {"examples": 240, "labels": {"0": 80, "1": 80, "2": 80}, "batch_size": 8}
    return {"event": "claims", **usual, **values}


def rows_of(which: str, numbers: Iterable[int]) -> Change:
    """Other training examples than those that were asked for."""

    def change(value: Any) -> dict[str, Any]:
        size = len(value[TRAIN]["rows"])
        some = itertools.islice(itertools.cycle(numbers), size)
        rows = small.rows(small.world().drawn, which, list(some))
        return {"value": {**value, TRAIN: {"size": 8, "rows": rows}}}

    return change


def relabelled(value: Any) -> dict[str, Any]:
    for row in value[TRAIN]["rows"]:
        row["label"] = 1
    return {"value": value}


LABELS = small.world().drawn.splits[TRAIN].labels
WAYS: dict[str, tuple[str, dict[str, Change], dict[str, Any]]] = {
    "batch size 1": ("batch-of-one", {}, {"batch_size": 1}),
    "eight examples, as it says": ("fewer-examples", {}, {"examples": 8}),
    "fewer than none": ("fewer-examples", {}, {"examples": -(10**50)}),
    "eight examples": ("fewer-examples", {FAULTS[0]: rows_of(TRAIN, range(8))}, {}),
    "a class dropped, as it says": ("fewer-labels", {}, {"labels": {"0": 1, "1": 200}}),
    "a class dropped": (
        "fewer-labels",
        {FAULTS[0]: rows_of(TRAIN, [n for n, label in enumerate(LABELS) if label])},
        {},
    ),
    "the validation set": ("validation-data", {FAULTS[0]: rows_of(EVALUATION, range(60))}, {}),
    "labels changed": ("other-labels", {FAULTS[0]: relabelled}, {}),
    "no metric": ("no-metric", {FAULTS[3]: lambda _v: error("PartMissing", missing=True)}, {}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_around_is_named_and_earns_nothing(process: Process, way: str) -> None:
    named, change, said = WAYS[way]
    process.asked(change)
    process.hear(claims(**said))
    process.trained()
    then = process.told("then.json")
    if named == "no-metric":
        # To see whether the others stand a training, ours takes the place of the one that lacks.
        assert then["repair"] == ["metric"]
    else:
        assert then == {"do": "leave"}
    found = process.graded()
    assert named in notes(found)
    assert (found.healthy.reached, found.healthy.points) == (False, 0)
    if named == "no-metric":
        assert how(found)["size-1-array"] == "missing"


@pytest.mark.parametrize("said", [{"batch_size": 1}, {"examples": 8}, {"labels": {"0": 5}}])
def test_a_way_around_that_only_the_training_shows_earns_nothing(
    process: Process, said: dict[str, Any]
) -> None:
    process.asked()
    process.hear(claims())
    process.trained()
    process.hear({**claims(**said), "event": "train"})
    found = process.graded()
    assert found.score == 4
    assert not found.healthy or not found.healthy.reached


def test_a_script_that_never_trains_is_named(process: Process) -> None:
    process.asked(reached="parts")
    process.trained()
    assert process.told("then.json") == {"do": "leave"}
    found = process.graded()
    assert "no-training" in notes(found)
    assert not found.healthy or not found.healthy.points


def test_an_exception_that_is_swallowed_is_named(tmp_path: Path) -> None:
    process = Process(tmp_path, PT.text(PT.bugs))
    process.asked(dict.fromkeys(FAULTS, raises))
    process.hear({"event": "answered"}, {"event": "left", "swallowed": True})
    found = process.graded()
    assert "swallowed" in notes(found)
    assert found.score == 0


def test_a_handful_of_faulty_examples_is_no_way_around(process: Process) -> None:
    process.asked()
    process.hear(claims(examples=230, labels={}, batch_size=None))
    process.trained()
    assert process.graded().score == 5


def test_an_evaluation_on_other_examples_is_a_way_around(unlike: Process) -> None:
    unlike.asked()
    unlike.trained(examples=8)
    found = unlike.graded()
    assert "other-evaluation" in notes(found)
    assert found.score == 4


@pytest.mark.parametrize(
    ("shares", "right"),
    [
        ((1.0, 0.5), True),
        ((0.5, 1.0), True),
        ((0.4, 0.5), False),
        ((1.0, 0.5, 0.4), False),
        ((0.4, 0.5, 1.0), True),
    ],
)
def test_of_two_evaluations_on_as_many_examples_either_may_be_that_on_the_validation_set(
    unlike: Process, shares: tuple[float, ...], right: bool
) -> None:
    # What was said at an earlier step, when the model was another, counts for nothing.
    before = [evaluation(1.0, str(number), 4) for number, _share in enumerate(shares)]
    last = [evaluation(share, str(number)) for number, share in enumerate(shares)]
    unlike.asked()
    unlike.rehearsed(*before, *last, {"event": "weights"})
    assert (unlike.graded().score == 5) is right


@pytest.mark.parametrize(("shares", "right"), [((1.0, 0.5), True), ((0.4, 0.5), False)])
def test_so_may_either_of_two_of_a_loop(
    unlike: Process, shares: tuple[float, float], right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for share in shares:
        unlike.hear({**evaluation(None), "values": {"accuracy": share}})
    unlike.hear({"event": "ready", "reached": "loop"})
    monkeypatch.setattr(unlike.sitting, "_accuracy", lambda *_: 1.0)
    unlike.sitting._weigh_loop()
    assert unlike.sitting.answers["size-1-array"].right is right


@pytest.mark.parametrize(("matched", "right"), [(1.0, True), (0.4, False)])
def test_of_several_evaluations_at_once_that_on_the_validation_set_counts(
    unlike: Process, matched: float, right: bool
) -> None:
    unlike.asked()
    both = evaluation(matched, "matched"), evaluation(0.5, "other", examples=12)
    unlike.rehearsed(*both, {"event": "weights"})
    assert (unlike.graded().score == 5) is right


@pytest.mark.parametrize(
    ("accuracy", "examples", "right"),
    [(0.95, 243, True), (0.6, 243, False), (None, 243, False), (0.95, 12, False)],
)
def test_an_evaluation_on_what_is_kept_from_the_training_is_near_the_other_one(
    unlike: Process, accuracy: float | None, examples: int, right: bool
) -> None:
    def apart(value: Any) -> dict[str, Any]:
        rows = small.rows(small.world().drawn, TRAIN, range(len(value[EVALUATION]["rows"])))
        return {"value": {**value, EVALUATION: {"size": 243, "rows": rows, "shared": 0}}}

    unlike.asked({FAULTS[0]: apart})
    unlike.trained({FAULTS[0]: apart}, accuracy=accuracy, examples=examples)
    found = unlike.graded()
    assert "held-out" in notes(found)
    assert ("other-evaluation" in notes(found)) is (examples < 100)
    assert (found.score == found.max_score) is right


# Tampering.


def test_of_a_script_that_tampers_only_our_own_fixes_count(tmp_path: Path) -> None:
    text = TAMPERED.replace("logits.argmax(axis=-1)", "logits.argmax(-1)")
    process = Process(tmp_path, text)
    process.asked()
    process.trained()
    assert process.told("then.json") == {"do": "leave"}
    found = process.graded()
    assert how(found) == {**dict.fromkeys(FAULTS[:3], "text"), FAULTS[3]: "withheld"}
    assert (gone(found), found.score) == (set(FAULTS[:3]), 3)
    (told,) = (n for n in found.notes if n.id == "tampering")
    assert told.figures == {"line": 3, "what": "gc.get_objects"}


def test_a_bug_that_stands_is_withheld_whatever_the_answers_of_a_script_that_tampers(
    tmp_path: Path,
) -> None:
    text = "import gc\n\ngc.get_objects()\n" + PT.text(PT.bugs)
    process = Process(tmp_path, text)
    found = process.whole()
    assert (found.score, set(how(found).values())) == (0, {"withheld"})


def test_our_fixes_in_dead_code_beside_tampering_earn_nothing(tmp_path: Path) -> None:
    dead = "".join(f"    {line}" for line in HEALTHY.splitlines(keepends=True))
    text = f"import gc\n\ngc.get_objects()\nif False:\n{dead}"
    for number, way in enumerate((wrong, raises, None)):
        process = Process(tmp_path / str(number), text)
        if way:
            process.asked(dict.fromkeys(FAULTS, way))
        assert process.graded().score == 0


def test_weights_of_a_script_that_tampers_are_not_even_read(tmp_path: Path) -> None:
    process = Process(tmp_path, TAMPERED)
    process.asked()
    process.hear({"event": "answered"}, {"event": "weights"})
    assert process.sitting.outcome is None


def test_the_teacher_hears_of_a_bug_that_stands_and_yet_answers_rightly(tmp_path: Path) -> None:
    process = Process(tmp_path, PT.text(PT.bugs[2:3]))
    found = process.whole()
    assert "target-out-of-bounds" in gone(found)
    (told,) = (n for n in found.notes if n.id == "text-stands")
    assert told.figures == {"fault": "target-out-of-bounds"}
    assert note.reader(told) == "teacher"


# Forged events.


def test_asked_once_is_asked(process: Process) -> None:
    process.asked({FAULTS[0]: wrong})
    before = process.told("questions.json")
    process.asked(reached="training")
    assert process.told("questions.json") == before
    assert FAULTS[0] not in gone(process.graded())


def test_an_answer_counts_once(process: Process) -> None:
    process.hear({"event": "ready", "reached": "training"})
    for index in range(len(FAULTS)):
        process.hear({"event": "answer", "index": index, "value": None})
    process.answers()
    assert process.graded().score == 0


@pytest.mark.parametrize("index", [-1, 4, 10**400, "x", None, [0], {}, float("inf"), float("nan")])
def test_answers_to_what_nobody_asked_are_none(process: Process, index: Any) -> None:
    process.hear({"event": "ready", "reached": "training"})
    for value in ({"value": True}, error("ValueError")):
        process.hear({"event": "answer", "index": index, **value})
    found = process.graded()
    assert set(how(found).values()) == {"not-reached"}


def test_nothing_is_asked_again_that_was_not_trained(process: Process) -> None:
    process.hear({"event": "ready", "reached": "again"})
    assert process.told("again.json") is None
    process.asked({FAULTS[0]: wrong})
    process.hear({"event": "ready", "reached": "again"})
    assert process.told("again.json") is None


def test_answered_before_anything_was_asked_ends_the_matter(process: Process) -> None:
    process.hear({"event": "answered"})
    assert process.told("then.json") == {"do": "leave"}
    process.asked()
    process.trained()
    process.hear({"event": "weights"})
    assert process.told("then.json") == {"do": "leave"}
    found = process.graded()
    assert not found.healthy or found.healthy.accuracy is None


def test_weights_without_a_training_that_was_wanted_are_not_read(process: Process) -> None:
    process.hear({"event": "weights"})
    process.asked({FAULTS[3]: wrong})
    process.hear({"event": "weights"}, {"event": "answered"}, {"event": "weights"})
    assert process.sitting.outcome is None
    assert process.graded().score == 3


def test_weights_are_read_once(process: Process) -> None:
    process.write(small.weights_of(5))
    process.asked(dict.fromkeys(FAULTS[2:3], lambda value: {"value": value}))
    found = process.sitting.answers["target-out-of-bounds"]
    assert not found.right
    found.how = "answers"
    process.hear({"event": "answered"}, {"event": "weights"})
    first = process.sitting.outcome
    process.write(small.world().weights)
    process.hear({"event": "weights"}, {"event": "weights"})
    assert process.sitting.outcome == first
    found_grade = process.graded()
    assert "below-baseline" in notes(found_grade)
    assert found_grade.score <= 4


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 100, b"{}", (2**63).to_bytes(8, "little") + b"{}", save({})],
    ids=["empty", "zeros", "braces", "endless", "none"],
)
def test_weights_that_are_none_are_no_outcome(process: Process, content: bytes) -> None:
    process.asked()
    process.desk.weights.write_bytes(content)
    process.trained({"target-out-of-bounds": lambda value: {"value": value}})
    found = process.graded()
    assert (found.healthy.reached, found.healthy.accuracy) == (False, None)


def test_what_a_process_says_of_its_training_is_bounded_by_our_own_clock(process: Process) -> None:
    process.asked()
    process.trained()
    for seconds in (1e308, 1e308, float("nan"), -5, "9", None, [1]):
        process.hear({"event": "trained", "step": 1, "seconds": seconds})
    assert process.graded().training_seconds == OVER.seconds


EVENTS = events_of(
    [
        *("exception", "ready", "answer", "claims", "answered", "left", "weights"),
        *("trained", "train", "evaluate", "failed", "end", "log", "heard", "__init__", "\ud800"),
    ],
    [
        *("reached", "index", "value", "error", "missing", "type", "message", "mro", "frames"),
        *("owner", "examples", "labels", "batch_size", "swallowed", "seconds", "again", "values"),
        *("step", "module", "file", "function", "line", "text", "script", "raises"),
    ],
    ["training", "again"],
)


@given(said=st.lists(EVENTS, max_size=12), asked=st.booleans(), trained=st.booleans())
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_events_without_sense_earn_nothing_and_break_nothing(
    tmp_path: Path, said: list[dict[str, Any]], asked: bool, trained: bool
) -> None:
    for each in tmp_path.iterdir():
        each.unlink()
    process = Process(tmp_path)
    if asked:
        process.hear({"event": "ready", "reached": "training"})
    if trained:
        process.hear({"event": "answered"})
    process.hear(*said)
    assert process.graded().score == 0


@pytest.mark.parametrize("key", ["module", "file", "function", "line", "text", "script", "raises"])
@pytest.mark.parametrize("value", [None, [], {"a": 1}, 10**400, -1, "9" * 20_000, 1.5, True])
def test_frames_of_any_kind_break_nothing(tmp_path: Path, key: str, value: Any) -> None:
    process = Process(tmp_path, "x = 1\n" * 3)
    event = unknown("ValueError", "x")
    event["frames"][0][key] = value
    process.hear(event, {**event, "event": "failed"})
    for fault in process.graded().new_faults:
        assert fault.line in (None, 1, 3)


@pytest.mark.live
def test_exceptions_without_end_are_not_kept_and_are_looked_up_once_each(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = []

    def matches(record: RunRecord) -> list[Match]:
        looked_up.append(record)
        return look_up(record)

    monkeypatch.setattr(by_questions, "matches", matches)
    process.asked()
    process.hear({"event": "answered"})
    long = "x" * 10_000
    for number in range(3000):
        event = unknown(f"E{number}{long}", f"{number} {long}")
        process.sitting.heard(event, process.desk)
        process.sitting.heard({**event, "event": "failed"}, process.desk)
    found = process.graded()
    assert len(found.new_faults) <= 2 * by_questions.RAISED
    assert len(json.dumps(found.to_dict())) < 50_000
    assert len(looked_up) <= 3000 + by_questions.RAISED


# Faults of the student's own.


def test_the_first_exception_is_named_and_names_that_it_did_not_define_are_not(
    process: Process,
) -> None:
    process.hear(
        unknown("KeyError", "'premises'", 7),
        unknown("NameError", "name 'tokenized' is not defined", 9),
        unknown("NameError", "name 'trainer' is not defined", 12),
    )
    found = process.graded()
    assert [(f.fault, f.exception, f.message, f.line) for f in found.new_faults] == [
        (None, "KeyError", "'premises'", 7)
    ]


def test_a_name_that_is_the_first_to_be_missing_is_named(process: Process) -> None:
    process.hear(unknown("NameError", "name 'raww' is not defined", 2))
    assert [f.message for f in process.graded().new_faults] == ["name 'raww' is not defined"]


def test_a_fault_of_the_catalogue_is_named_once_and_only_if_it_was_not_drawn(
    tmp_path: Path,
) -> None:
    process = Process(tmp_path, bugs=FAULTS[:2])
    process.hear(known("missing-input-ids"), *[known("size-1-array")] * 2)
    found = process.graded()
    assert [f.fault for f in found.new_faults] == ["size-1-array"]


def test_a_bug_that_was_not_drawn_and_came_in_all_the_same_is_named(tmp_path: Path) -> None:
    process = Process(tmp_path, PT.text(PT.bugs[3:]), bugs=FAULTS[:3])
    process.asked({"size-1-array": raises})
    process.trained()
    found = process.graded()
    assert (found.score, found.max_score) == (3, 4)
    ((fault, kind),) = ((f.fault, f.exception) for f in found.new_faults)
    assert (fault, kind) == ("size-1-array", "TypeError")


def test_a_slip_in_a_part_under_question_is_named(process: Process) -> None:
    process.asked({"size-1-array": lambda _value: error("NameError", "name 'np' is not defined")})
    found = process.graded()
    assert [(f.exception, f.message) for f in found.new_faults] == [
        ("NameError", "name 'np' is not defined")
    ]


def test_what_was_never_reached_is_no_fault_of_ones_own(tmp_path: Path) -> None:
    process = Process(tmp_path, bugs=FAULTS[:1])
    assert process.graded().new_faults == ()


def test_long_words_are_cut(process: Process) -> None:
    long = "x" * 5000
    process.hear(unknown(long, long))
    process.asked({"size-1-array": lambda _value: error(long, long)})
    for fault in process.graded().new_faults:
        assert len(fault.exception or "") <= by_questions.TOLD
        assert len(fault.message or "") <= by_questions.TOLD


# The end.


@pytest.mark.parametrize(
    ("text", "told"),
    [("x = 1\ndef f(:\n", {"syntax": {"line": 2}}), ("# notes\n\n", {"empty": {}})],
)
def test_what_is_no_python_or_no_code_is_said_to_be_so(
    tmp_path: Path, text: str, told: dict[str, Any]
) -> None:
    process = Process(tmp_path, text)
    if "syntax" in told:
        mro = {"mro": ["builtins.SyntaxError", "builtins.Exception"]}
        process.hear(unknown("SyntaxError", "invalid syntax", 2, **mro))
    process.asked(dict.fromkeys(FAULTS, lambda _v: error("PartMissing", missing=True)), "nothing")
    found = process.graded()
    assert (found.score, found.status) == (0, "graded")
    # Of what nobody could read, nothing is said to be missing.
    assert {n.id: dict(n.figures) for n in found.notes} == told
    assert {bug.how for bug in found.bugs} == {"not-reached"}


def test_of_a_notebook_the_cell_is_told_and_the_line_in_it(tmp_path: Path) -> None:
    text = "# %% [3]\nimport gc\n\n# %% [5]\nx = 1\ngc.get_objects()\nprint(missing)\n"
    process = Process(tmp_path, text)
    process.hear(unknown("NameError", "name 'missing' is not defined", 7))
    found = process.graded()
    (fault,) = found.new_faults
    assert (fault.cell, fault.line) == (5, 3)
    (told,) = (n for n in found.notes if n.id == "tampering")
    assert told.figures == {"cell": 5, "line": 2, "what": "gc.get_objects"}


@pytest.mark.parametrize("line", [0, -3, 10**400, 5000, None])
def test_a_line_that_the_text_does_not_have_is_not_told(process: Process, line: Any) -> None:
    mro = {"mro": ["builtins.SyntaxError"]}
    process.hear(unknown("SyntaxError", "invalid syntax", line, **mro))
    found = process.graded()
    assert {f.line for f in found.new_faults} <= {None}
    assert [n.figures["line"] for n in found.notes if n.id == "syntax"] in ([], [0])


@pytest.mark.parametrize("met", ["time-limit", "memory-limit", "output-limit", "process-limit"])
def test_a_limit_is_the_status_and_what_was_answered_before_counts(
    process: Process, met: Any
) -> None:
    process.asked()
    found = process.graded(Done(met, -9, "", 180.0), end=False)
    assert (found.status, found.score) == (met, 4)
    assert met in notes(found)
    assert "died" not in notes(found)


def test_a_limit_that_is_met_after_all_was_seen_takes_nothing(process: Process) -> None:
    process.asked()
    process.trained()
    found = process.graded(Done("time-limit", -9, "", 180.0), end=False)
    assert (found.status, found.score) == ("graded", 5)


def test_a_process_that_died_is_said_to_have(process: Process) -> None:
    process.hear({"event": "ready", "reached": "training"})
    found = process.graded(Done(None, -11, "", 1.0), end=False)
    assert ("died" in notes(found), found.status, found.score) == (True, "graded", 0)


def test_a_box_that_did_not_close_is_a_failure_of_ours(process: Process) -> None:
    found = process.graded(Done(None, 1, "", 1.0, "mount: not permitted"), end=False)
    assert found.status == "internal-error"


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (Header("ch8-4", "pt", FAULTS, "en"), False),
        (Header("ch8-4", "pt", FAULTS, "zh"), False),
        (Header("ch8-4", "pt", (), "en"), True),
        (Header("ch8-4", "pt", FAULTS[:1], "en"), True),
        (Header("ch8-4", "tf", FAULTS, "en"), True),
        (Header("ch3-4", "pt", FAULTS, "en"), True),
    ],
)
def test_a_first_line_that_claims_another_exercise_is_told(
    tmp_path: Path, header: Header, told: bool
) -> None:
    process = Process(tmp_path, header.line() + HEALTHY)
    found = process.whole()
    assert ("header" in notes(found)) is told
    # Whatever it claims: who was given what is ours to know.
    assert (found.score, found.max_score) == (5, 5)


# Texts.

IMPORTS = PT.bugs[1].edits[0].buggy
HOSTILE = {
    "too deep to parse": "-" * 100_000 + "1",
    "too deep to compile": "1+" * 50_000 + "1",
    "attributes": "x" + ".a" * 50_000,
    "deep in a string": 'f"{' + "1+" * 1500 + '1}"',
    "brackets": "(" * 100_000,
    "branches": "if a: pass\n" + "elif a: pass\n" * 5_000,
    "null": "x = 1\0",
    "surrogates": "x = '\ud800'",
    "imports without end": ("from transformers import (\n" + IMPORTS + ")\n") * 4_000,
    "strings without end": '"a" ' * 60_000,
    "a header without end": "# course: a b" + " a=b" * 50_000 + " !",
    "empty": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_text_of_any_kind_is_graded_at_once(tmp_path: Path, name: str) -> None:
    began = time.process_time()
    process = Process(tmp_path, HOSTILE[name])
    process.asked()
    found = process.graded()
    assert found.status == "graded"
    assert not found.healthy or not found.healthy.reached
    assert time.process_time() - began < 5


def test_in_a_text_without_end_a_bug_that_stands_is_still_seen(tmp_path: Path) -> None:
    text = PT.text(PT.bugs[2:3]) + "# padding\n" * 5_000
    process = Process(tmp_path, text)
    process.asked()
    process.trained()
    assert "text-stands" in notes(process.graded())


def test_a_mark_at_the_beginning_and_other_line_breaks_make_no_difference(tmp_path: Path) -> None:
    process = Process(tmp_path, "\ufeff" + HEALTHY.replace("\n", "\r\n"))
    assert process.whole().score == 5


def test_bytes_that_are_no_text_are_read_all_the_same() -> None:
    assert text_evidence.decoded(b"x = '\xff\xfe'")[0].startswith("x = '")
