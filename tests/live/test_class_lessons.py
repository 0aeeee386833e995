"""Classes of lessons without questions, graded by text and by run in the real sandbox."""

import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from course.exercise import patch
from course.lesson import lesson
from course.runs.sandbox.bubblewrap import Done, JobMailbox, Sandbox
from tests.grading.runs import FAULTS, HIDDEN, OWN, SILENT, healthy, ours, own
from tests.live.classes import grade_class, make_class
from tests.live.test_sandbox import FAULTY, MODULES, TIGHT, runtime
from tests.tiers import sample, selected

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux")

RUBRIC = "format = 1\n\n[limits]\nseconds = {seconds}\n"
IMPORT = "import evaluate\n"
FORGERY = f"""
import os

for number in range(3, 64):
    for event in {healthy()!r}:
        try:
            os.write(number, (__import__("json").dumps(event) + chr(10)).encode())
        except OSError:
            pass
os._exit(0)
"""


@dataclass(frozen=True)
class Handed:
    """What a student hands in, and what it must come to.

    `how` each bug is known, the `notes`, and `new` faults.
    """

    text: str
    score: float
    how: tuple[str, ...]
    notes: frozenset[str] = frozenset()
    status: str = "graded"
    new: tuple[str, ...] = ()


def given_out(place: Path, name: str, students: list[str], fw: str = "pt") -> dict[str, str]:
    """Make a class; the exercise of each student."""
    made = make_class(place, name, [(s, s, "en") for s in students], "--fw", fw)
    return {each["student"]: Path(each["path"]).read_text("utf-8") for each in made}


def graded(
    place: Path, name: str, texts: dict[str, str], seconds: int, fw: str = "pt"
) -> dict[str, Any]:
    """Hand in, and have it graded: each student's grade."""
    for student, text in texts.items():
        folder = place / "submissions" / student
        folder.mkdir(parents=True)
        (folder / f"{name}-{fw}.py").write_text(text, "utf-8")
    (place / "rubric.toml").write_text(RUBRIC.format(seconds=seconds))
    return grade_class(place, "--rubric", str(place / "rubric.toml"), "--jobs", "1")


def handed_in(text: str) -> dict[str, Handed]:
    """Make the submissions of a class in ch3-4, of one exercise."""
    shown = tuple("wrong-answer" if fault in SILENT else "raised" for fault in FAULTS)
    in_own_words = own(ours(text, HIDDEN), *OWN)
    by_run = tuple("text" if fault == HIDDEN else "run" for fault in FAULTS)
    partly = own(text, "removed-import", "dropout-in-evaluation")
    round_it = in_own_words.replace('ready["train"], batch_size=8', 'ready["train"], batch_size=1')
    deleted = in_own_words.replace("for epoch in range(epochs)", "for epoch in range(0)")
    caught = "".join(f"    {line}" for line in text.splitlines(keepends=True))
    return {
        "untouched": Handed(text, 0, ("raised", *["stands"] * 6)),
        "one": Handed(ours(text, FAULTS[0]), 1, ("text", "raised", *["stands"] * 5)),
        "last": Handed(ours(text, SILENT[-1]), 1, ("raised", *["stands"] * 5, "text")),
        "silent": Handed(ours(text, *FAULTS[:4]), 4, (*["text"] * 4, shown[4], *["stands"] * 2)),
        "mended": Handed(ours(text, *FAULTS), 8, ("text",) * 7),
        "own": Handed(
            in_own_words, 8, by_run, frozenset({"own-account", "own-account-healthy"})
        ),
        # The first and the last in words of one's own: all between are shown, one after the other.
        "partly": Handed(
            partly, 2, ("run", *shown[1:3], "stands", *shown[4:6], "run"),
            frozenset({"own-account"}),
        ),
        "tampers": Handed(
            own(ours(text, *FAULTS[:4]), *SILENT).replace(
                IMPORT, IMPORT + "import gc\ngc.get_objects()\n"
            ),
            4, (*["text"] * 4, *["withheld"] * 3), frozenset({"tampering"}),
        ),
        "round": Handed(
            round_it, 1, tuple("text" if f == HIDDEN else "stands" for f in FAULTS),
            frozenset({"batch-of-one"}),
        ),
        "deleted": Handed(
            deleted, 1, tuple("text" if f == HIDDEN else "stands" for f in FAULTS),
            frozenset(), new=("training-missing",),
        ),
        "leaves": Handed(
            ours(text, *FAULTS).replace(IMPORT, IMPORT + "import os\nos._exit(0)\n"), 0,
            ("not-reached",) * 7, frozenset({"died", "unusual"}),
        ),
        # Whatever it has open it writes the record of a healthy run into, and leaves.
        "forges": Handed(
            text.replace(IMPORT, FORGERY), 0,
            tuple("stands" if f == HIDDEN else "withheld" for f in FAULTS),
            frozenset({"tampering"}),
        ),
        "caught": Handed(
            f"try:\n{caught}\nexcept Exception:\n    pass\n", 0, ("stands",) * 7,
            frozenset({"no-training"}),
        ),
        "line": Handed(
            "None.backward()\n", 0, ("not-reached",) * 2 + ("raised",) + ("not-reached",) * 4,
            frozenset({"undecided"}),
        ),
    }  # fmt: skip


STUDENTS = [
    *("untouched", "one", "last", "silent", "mended", "own", "partly", "tampers"),
    *("round", "deleted", "leaves", "forges", "caught", "line"),
]


EVERYDAY = {"one", "mended", "own", "partly", "forges", "caught"}
"""Those of the live tier: each way in which a bug is known to be gone, or not."""


@pytest.fixture(scope="module")
def found(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], ...]:
    place = tmp_path_factory.mktemp("class")
    texts = given_out(place, "ch3-4", selected(request, "student"))
    handed = {student: handed_in(text)[student] for student, text in texts.items()}
    grades = graded(place, "ch3-4", {s: h.text for s, h in handed.items()}, 90)
    return handed, grades


@pytest.mark.parametrize("student", sample(STUDENTS, lambda _number, name: name in EVERYDAY))
def test_every_mark_is_the_expected_one_and_so_is_how_it_is_known(
    found: tuple[dict[str, Any], ...], student: str
) -> None:
    handed, grade = found[0][student], found[1][student]
    told = json.dumps(grade, indent=1)
    assert (grade["score"], grade["max_score"], grade["status"]) == (
        *(handed.score, 8), handed.status,
    ), told  # fmt: skip
    assert tuple(bug["how"] for bug in grade["bugs"]) == handed.how, told
    assert {bug["how"] for bug in grade["bugs"] if bug["gone"]} <= {"text", "run"}
    assert handed.notes <= {each["note"] for each in grade["notes"]}, told
    assert tuple(each["fault"] for each in grade["new_faults"]) == handed.new, told


@pytest.mark.parametrize("student", ["mended", "own", "partly"])
def test_a_mark_on_the_word_of_a_process_is_told_to_the_teacher_alone(
    found: tuple[dict[str, Any], ...], student: str
) -> None:
    grade = found[1][student]
    by_run = {bug["fault"] for bug in grade["bugs"] if bug["how"] == "run"}
    told = [each for each in grade["notes"] if each["note"] == "own-account"]
    assert bool(told) == bool(by_run)
    assert all(each["for"] == "teacher" for each in told)
    assert by_run or grade["notes"] == []


ANSWERS = 'predictions=logits.argmax(dim=-1), references=batch["labels"]'
LABELS = 'predictions=batch["labels"], references=batch["labels"]'
STILL = ("lr=5e-5", "lr=0.0")
FORGED: dict[str, tuple[tuple[str, str], ...]] = {
    "labels": ((ANSWERS, LABELS),),
    "still": ((ANSWERS, LABELS), STILL),
    "itself": (
        (ANSWERS, "predictions=logits.argmax(dim=-1), references=logits.argmax(dim=-1)"),
        STILL,
    ),
    "own": (("metric.compute()", "metric.compute = lambda: {'accuracy': 1.0}\nmetric.compute()"),),
    "printed": (("metric.compute()", "print({'accuracy': 1.0, 'f1': 1.0})"), STILL),
}
"""Ways to forge the metric of a mended ch3-4, as changes of its text."""


@pytest.fixture(scope="module")
def forged(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    place = tmp_path_factory.mktemp("forged")
    texts = given_out(place, "ch3-4", selected(request, "way"))
    handed = {}
    for student, text in texts.items():
        mended = ours(text, *FAULTS)
        for old, new in FORGED[student]:
            assert old in mended
            mended = mended.replace(old, new)
        handed[student] = mended
    return graded(place, "ch3-4", handed, 90)


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", FORGED)
def test_a_forged_metric_gains_nothing(forged: dict[str, Any], way: str) -> None:
    grade = forged[way]
    told = json.dumps(grade, indent=1)
    assert grade["score"] <= 7, told
    assert not grade["healthy"]["reached"], told
    # The accuracy that stands in the grade is the one that we counted, never the script's.
    assert grade["healthy"]["accuracy"] != 1.0, told
    assert grade["new_faults"] or grade["notes"], told


FIT = "model.fit(train_dataset, validation_data=validation_dataset"
FOR_A_WHILE = """
class ForAWhile(tf_keras.utils.Sequence):
    rows, asked = list(train_dataset.as_numpy_iterator()), 0

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, number):
        self.asked += 1
        inputs, labels = self.rows[number]
        return (inputs, labels) if self.asked < 20 else (inputs, labels * 0)


"""
IN_OWN_WORDS = (
    ("num_labels=3", "num_labels=len(raw['train'].features['label'].names)"),
    (
        "tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
        "lambda true, logits: tf_keras.losses.sparse_categorical_crossentropy("
        "true, logits, from_logits=True)",
    ),
)


@pytest.fixture(scope="module")
def rehearsed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Grade scripts of Keras in which one bug is left and others are mended in other words."""
    place = tmp_path_factory.mktemp("keras")
    part = lesson.load("ch8-4").parts["tf"]
    left = next(bug for bug in part.bugs if bug.exam == "rate")
    own_words = part.text((left,))
    for old, new in IN_OWN_WORDS:
        assert old in own_words
        own_words = own_words.replace(old, new)
    assert FIT in own_words
    for_a_while = own_words.replace(
        FIT, FOR_A_WHILE + "model.fit(ForAWhile(), validation_data=validation_dataset"
    )
    texts = {"own": own_words, "while": for_a_while}
    handed = {student: texts[student] for student in selected(request, "handed")}
    given_out(place, "ch8-4", list(handed), "tf")
    return graded(place, "ch8-4", handed, 120, "tf")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("handed", "left"),
    [
        ("own", {"learning-rate-too-high"}),
        ("while", {"learning-rate-too-high", "no-gradients"}),
    ],
)
def test_parts_of_keras_are_rehearsed_with_ours_in_place_of_what_is_wrong(
    rehearsed: dict[str, Any], handed: str, left: set[str]
) -> None:
    grade = rehearsed[handed]
    told = json.dumps(grade, indent=1)
    assert {bug["fault"] for bug in grade["bugs"] if not bug["gone"]} == left, told
    assert grade["training_seconds"] > 0, told


@pytest.mark.exhaustive
def test_several_processes_train_in_the_box(tmp_path: Path) -> None:
    part = lesson.load("ch3-4-accelerate").parts["pt"]
    texts = given_out(tmp_path, part.lesson, ["untouched", "own"])
    for bug in part.bugs:
        texts["own"] = patch.take_out(texts["own"], bug)
    texts["own"] = texts["own"].replace("backward(loss)", "backward(loss=loss)")
    grades = graded(tmp_path, part.lesson, texts, 170)
    told = json.dumps(grades, indent=1)
    assert {s: g["score"] for s, g in grades.items()} == {"untouched": 0, "own": 5}, told
    assert [bug["how"] for bug in grades["untouched"]["bugs"]] == ["raised", *["stands"] * 3]
    assert {bug["how"] for bug in grades["own"]["bugs"]} == {"text", "run"}


# The box that they train in, which is a little wider.


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    home = tmp_path_factory.mktemp("hub")
    with Sandbox(runtime(), MODULES, home) as box:
        yield box


def run(
    box: Sandbox,
    script: str,
    at: str = "no line of it",
    then: Callable[[JobMailbox], object] = print,
) -> tuple[Done, list[dict[str, Any]]]:
    """Run a script that is not examined; when it comes `at` this line, something else is done."""
    events: list[dict[str, Any]] = []

    def heard(event: dict[str, Any], desk: JobMailbox) -> None:
        events.append(event)
        if event["event"] == "line" and event["text"].startswith(at):
            then(desk)

    text = (FAULTY + textwrap.dedent(script)).encode()
    return box.run(text, "exercise.py", TIGHT, heard, examined=False), events


def test_a_script_is_run_as_a_learner_would_run_it(box: Sandbox) -> None:
    done, events = run(box, "raise KeyError('x')\n")
    assert done.exit == 1
    assert [e["event"] for e in events if e["event"] != "line"] == ["start", "exception", "end"]


def test_processes_of_one_run_meet_and_those_of_another_do_not(box: Sandbox) -> None:
    listens = """
    listener = socket.socket()
    listener.bind(("127.0.0.1", 54321))
    listener.listen()
    if os.fork() == 0:
        socket.create_connection(("127.0.0.1", 54321)).sendall(b"here")
        os._exit(0)
    said = listener.accept()[0].recv(9)
    while not os.path.exists("/box/job/go"):
        time.sleep(0.01)
    print(json.dumps(said.decode()))
    """
    calls = """
    print(json.dumps([
        refused(socket.create_connection, ("127.0.0.1", 54321), 2),
        refused(socket.create_connection, ("192.0.2.1", 80), 2),
        [name for _number, name in socket.if_nameindex()],
    ]))
    """
    others: list[Any] = []

    def another(desk: JobMailbox) -> None:
        others.append(json.loads(run(box, calls)[0].output))
        desk.put("go", {})

    done, _events = run(box, listens, "while not", another)
    assert json.loads(done.output) == "here"
    assert others == [["ECONNREFUSED", "ENETUNREACH", ["lo"]]]


def test_it_sees_that_its_training_is_to_end(box: Sandbox) -> None:
    waits = """
    while not os.path.exists("/box/job/stop"):
        time.sleep(0.01)
    print(json.dumps([refused(os.unlink, "/box/job/stop"), sorted(os.listdir("/box/job"))]))
    """
    done, _events = run(box, waits, "while not", lambda desk: desk.put("stop", {}))
    refusal, listed = json.loads(done.output)
    assert refusal in ("EROFS", "EACCES", "EPERM")
    assert "stop" in listed
