"""The learner's loop on the real frameworks: start, edit, run, hint, fix, until it trains."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from course.lesson import lesson
from course.lesson.lesson import Part
from course.runs import hub
from course.runs.environment import runtime
from course.runs.process import Job
from course.runs.record import RunRecord
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm
from tests.command import CLEAN, course, listed
from tests.tiers import sample

PART: Part = lesson.load("ch8-4").parts["pt"]
SUBSETS = list(PART.subsets())


@pytest.fixture(scope="module")
def place() -> Iterator[RunContext]:
    """Where the runs of the test process itself take place: as those of the command line."""
    before = dict(os.environ)
    os.environ |= {k: CLEAN[k] for k in ("COURSE_CACHE", "COURSE_TESTS")}
    found = runtime.find("pt", PART.requires)
    yield RunContext(found, hub.embedded(found), warm=Warm(found, PART.imports))
    os.environ.clear()
    os.environ |= before


def started(folder: Path, *faults: str) -> Path:
    bugs = ",".join(faults) or "none"
    done = course("start", "ch8-4", str(folder), "--bugs", bugs, "--json")
    return Path(json.loads(done.stdout)["path"])


def document(*arguments: str, status: int) -> dict[str, Any]:
    done = course(*arguments, "--json")
    assert done.returncode == status, done.stdout + done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


@pytest.mark.parametrize(
    "bugs",
    sample(SUBSETS, lambda _n, bugs: bugs == PART.bugs[1:3]),
    ids=lambda bugs: "+".join(b.fault for b in bugs) or "none",
)
def test_a_newcomers_path_leads_from_each_subset_to_the_healthy_script(
    tmp_path: Path, bugs: tuple[lesson.Bug, ...]
) -> None:
    faults = [b.fault for b in bugs]
    path = started(tmp_path / "mine", *faults)
    # The learner's own edits: a comment, another quote, a line of their own.
    text = path.read_text().replace("set_seed(42)", "set_seed(42)  # mine")
    # And a shorter training: the last bug bites after an epoch.
    text = text.replace("num_train_epochs=3", "max_steps=9")
    path.write_text(text.replace('"distilbert-on-mnli"', "'distilbert-on-mnli'") + "\n# end\n")
    for number, fault in enumerate(faults):
        found = document("run", str(path.parent), status=1)
        (step,) = found["steps"]
        assert (step["step"], step["observed"]["fault"]) == (fault, fault)
        assert step["matched"]
        assert step["warm"]
        assert found["completed"] is False
        assert found["exercise"]["behind"] == faults[:number]
        assert not found["exercise"]["new"]
        hint = document("hint", str(path), status=0)
        assert (hint["rung"], hint["fault"]) == (1, fault)
        assert hint["texts"]
        fixed = document("fix", str(path), "--apply", "--yes", status=0)
        assert fixed["applied"]
        assert fixed["fault"] == fault
    mended = path.read_text()
    assert "# mine" in mended
    assert "'distilbert-on-mnli'" in mended
    # All subsets lead to one text, and that one is run to its end by the test below.
    plain = mended.replace("  # mine", "").replace("max_steps=9", "num_train_epochs=3")
    plain = plain.replace("'distil", '"distil').replace("mnli'", 'mnli"')
    code = [x for x in plain.splitlines() if x.strip() and not x.startswith("#")]
    assert code == [x for x in PART.text(()).splitlines() if x.strip() and not x.startswith("#")]


@pytest.mark.exhaustive
def test_the_mended_script_trains_and_the_list_says_so(tmp_path: Path) -> None:
    state = {"COURSE_STATE": str(tmp_path / "state")}
    started(tmp_path / "mine", "size-1-array")
    path = tmp_path / "mine" / "ch8-4-pt.py"
    # It learns enough in one epoch.
    edited(path, ("num_train_epochs=3", "num_train_epochs=1"))
    path.write_text(PART.bugs[3].take_out(path.read_text()))
    done = course("run", str(path), "--lang", "ru", **state)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "базовый уровень" in done.stdout
    assert "⣀" in done.stdout or "⠒" in done.stdout or "⠤" in done.stdout  # the picture of the loss
    (exercise,) = listed("ch8-4", **state)["exercises"]
    assert exercise["healthy"]
    assert exercise["behind"] == ["size-1-array"]
    # What is known of this very text needs no second run.
    for command in ("hint", "fix"):
        said = course(command, str(path), COURSE_CACHE="/proc/none", **state)
        assert said.returncode == 0
        assert "The script trains" in said.stdout


def edited(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text)


TRAIN = "trainer.train()"
CATCH = f"try:\n    {TRAIN}\nexcept Exception:\n    pass"
SHORT = ("num_train_epochs=3", "max_steps=20")
ONE = ", ".join(f"per_device_{kind}_batch_size=1" for kind in ("train", "eval"))
MAP = "tokenized = raw.map"
TWO = '.filter(lambda e: e["label"] < 2)'
CAUGHT = """\
    try:
        metric.compute(predictions=logits, references=labels)
    except Exception:
        return {}
    return metric.compute"""
WAYS: dict[str, tuple[str, str, str | None, list[tuple[str, str]]]] = {
    "try and except": ("length-mismatch", "swallowed", "length-mismatch", [(TRAIN, CATCH)]),
    "label 2 dropped": (
        "target-out-of-bounds",
        "fewer-labels",
        "labels-left-out",
        [(MAP, f"raw = raw{TWO}\n{MAP}"), SHORT],
    ),
    "batches of one": ("length-mismatch", "batch-of-one", None, [(SHORT[0], f"{SHORT[1]}, {ONE}")]),
    "eight examples": (
        "none",
        "fewer-examples",
        "examples-left-out",
        [('=tokenized["train"]', '=tokenized["train"].select(range(8))'), SHORT],
    ),
    "no metric": (
        "size-1-array",
        "no-metric",
        None,
        [("    compute_metrics=compute_metrics,\n", ""), SHORT],
    ),
    "an error caught in the metric": (
        "size-1-array",
        "no-metric",
        None,
        [("    return metric.compute", CAUGHT), SHORT],
    ),
}
"""Ways of hiding a fault: the bug, the problem told, the fault still named, the edits."""


@pytest.mark.parametrize("way", WAYS)
def test_hiding_a_fault_is_not_mending_it(tmp_path: Path, way: str) -> None:
    bug, problem, fault, edits = WAYS[way]
    path = started(tmp_path / "mine", bug)
    edited(path, *edits)
    found = document("run", str(path), status=1)
    (step,) = found["steps"]
    assert found["completed"] is False
    assert step["problem"] == problem
    assert step["observed"]["fault"] == fault
    assert bug not in found["exercise"]["behind"]


def test_a_fault_of_the_learners_own_is_told_from_the_exercises(tmp_path: Path) -> None:
    path = started(tmp_path / "mine", "length-mismatch")
    fresh = path.read_text()
    edited(path, ('load_dataset("glue", "mnli")', 'evaluate.load("glue", "mnli")'))
    found = document("run", str(path), status=1)
    assert found["steps"][0]["observed"]["fault"] == "dataset-from-evaluate"
    assert found["exercise"]["new"]
    assert document("fix", str(path), status=1)["reason"] == "own"
    path.write_text(fresh.replace("num_labels=3", "num_labels=2"))
    found = document("run", str(path), status=1)
    # The padding is missing still, and bites before the model is reached.
    assert found["steps"][0]["step"] == "length-mismatch"
    document("fix", str(path), "--apply", "--yes", status=0)
    found = document("run", str(path), status=1)
    assert found["steps"][0]["step"] == "target-out-of-bounds"
    assert found["exercise"] | {"path": ""} == {
        "path": "", "bugs": ["length-mismatch"], "behind": ["length-mismatch"], "new": True,
    }  # fmt: skip
    path.write_text(path.read_text().replace("set_seed(42)", "set_seed(42"))
    found = document("run", str(path), status=1)
    assert found["steps"][0]["observed"]["exception"] == "SyntaxError"
    assert found["exercise"]["new"]
    path.write_text(fresh)
    assert "One of your edits brought it back" in course("run", str(path)).stdout


def stripped(record: RunRecord) -> RunRecord:
    """Strip a record of its times."""
    training = record.training and replace(record.training, seconds=0.0)
    times = ("second", "runtime")
    evaluations = tuple(
        replace(e, values={k: v for k, v in e.values.items() if not any(t in k for t in times)})
        for e in record.evaluations
    )
    # Some objects print where in memory they lie.
    looks = tuple(
        replace(look, seconds=0.0, output=re.sub("0x[0-9a-f]+", "0x", look.output))
        for look in record.looks
    )
    # Rows of a report come in any order, and files are told with the time they were made.
    warnings = tuple(replace(warning, message="") for warning in record.output.warnings)
    output = replace(record.output, warnings=warnings)
    return replace(
        record,
        seconds=0.0,
        training=training,
        evaluations=evaluations,
        looks=looks,
        output=output,
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(5))
def test_cold_and_warm_runs_give_the_same_record(place: RunContext, number: int) -> None:
    bugs = PART.bugs[number:]
    text = PART.text(bugs).replace("num_train_epochs=3", "max_steps=40")
    looks = tuple(look.code for look in PART.looks_at(PART.first_fault(bugs) or "healthy"))
    job = Job(text, looks)
    warm, cold = place.run(job), replace(place, warm=None).run(job)
    assert (warm.warm, cold.warm) == (True, False)
    one, other = stripped(warm.record), stripped(cold.record)
    assert one == other
    if number > 2:
        assert len(one.losses) == 40
        assert one.losses[0][1] > 0.9


def test_what_a_script_prints_is_shown_before_its_verdict(tmp_path: Path) -> None:
    path = started(tmp_path / "mine", "length-mismatch")
    text = path.read_text()
    mine = "print('columns:', tokenized['train'].column_names)\n"
    path.write_text(text.replace("model = Auto", f"{mine}model = Auto"))
    said = course("run", str(path)).stdout
    assert said.index("│ columns: ['premise', ") < said.index("(`length-mismatch`)")
    assert said.count("│ ") == 1
    assert "! transformers: `classifier.bias | MISSING" in said
    assert "The checkpoint does not contain these weights" in said
    assert "! transformers: `have been ignored: " in said
    output = document("run", str(path), status=1)["steps"][0]["output"]
    (line,) = output["lines"]
    number = path.read_text().splitlines().index(mine.strip()) + 1
    assert (line["line"], line["stream"]) == (number, "stdout")
    assert output["omitted"] == 0
    assert "columns: ['premise', " in Path(output["file"]).read_text("utf-8")


@pytest.mark.parametrize("option", [("--cold",), ()])
def test_cold_can_be_asked_for(tmp_path: Path, option: tuple[str, ...]) -> None:
    path = started(tmp_path / "mine", "missing-input-ids")
    found = document("run", str(path), *option, status=1)
    assert found["steps"][0]["warm"] == (option == ())
