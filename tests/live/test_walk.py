"""The main job: each fault live, each recognised, and at the end a model that has learned."""

import json
import re

import pytest

from course.exercise.walk import Taken, take
from course.lesson import lesson
from course.runs.run_context import RunContext
from tests.command import course
from tests.tiers import exhaustive

PART = lesson.load("ch8-4").parts["pt"]
STEPS = [step.id for step in PART.steps]


@pytest.fixture(scope="module")
def faulty(context: RunContext) -> dict[str, Taken]:
    """Take the steps whose script has a bug; `.ci/run` walks to the healthy end as a user."""
    return {step.id: take(PART, step, context) for step in PART.steps if step.fault}


def test_evidence_is_live_everywhere_but_for_cuda(
    faulty: dict[str, Taken], context: RunContext
) -> None:
    for name, taken in faulty.items():
        is_elsewhere = name == "cublas" and not context.offers("cuda")
        assert taken.verdict.matched
        assert (taken.verdict.evidence == "live") is not is_elsewhere


def test_each_fault_is_told_with_the_words_of_the_library(faulty: dict[str, Taken]) -> None:
    words = {}
    for name, taken in faulty.items():
        match, words[name] = taken.verdict.match, taken.verdict.raised
        assert match is not None
        assert match.fault.id == name
    target, length = words["target-out-of-bounds"], words["length-mismatch"]
    assert target is not None
    assert length is not None
    assert (target.name, target.message) == ("IndexError", "Target 2 is out of bounds.")
    assert faulty["target-out-of-bounds"].verdict.match.signature.wording == "course"
    assert re.match(r"expected sequence of length \d+ ", length.message)


@pytest.mark.exhaustive
def test_the_walk_is_as_expected_in_every_step() -> None:
    done = course("run", "ch8-4", "--lang", "ru", "--yes", "--json")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    walk = json.loads(done.stdout)
    found = [walk[key] for key in ("lesson", "framework", "lang", "hub", "completed")]
    assert found == ["ch8-4", "pt", "ru", "embedded", True]
    assert [s["step"] for s in walk["steps"]] == STEPS
    assert all(s["matched"] and s["question"] for s in walk["steps"])
    assert {"python", "torch", "transformers", "datasets", "evaluate"} <= set(walk["runtime"])
    assert set(walk["steps"][-1]["observed"].values()) == {None}
    metrics = walk["steps"][-1]["metrics"]
    assert metrics["accuracy"] - metrics["baseline"] >= 0.20
    assert abs(metrics["baseline"] - 1 / 3) < 0.01
    assert metrics["train_examples"] >= 2000
    assert metrics["train_steps"] > 700


@pytest.mark.exhaustive
def test_every_subset_of_the_bugs_bites_with_its_own_fault() -> None:
    done = course("dev", "check", "ch8-4", "--fw", "pt", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 0, document
    assert document["holds"] is True
    assert document["texts"] == []
    assert len(document["runs"]) == 16
    order = [name for name in STEPS if name not in ("cublas", "healthy")]
    for run in document["runs"]:
        first = next((name for name in order if name in run["bugs"]), None)
        assert (run["observed"], run["problem"], run["holds"]) == (first, None, True)


@pytest.mark.parametrize("name", ["ch3-2", exhaustive("ch8-4")])
def test_no_word_of_ours_is_left_unmarked(name: str) -> None:
    """In the pseudo-language our letters are full width, and what is quoted stands in ⟦⟧."""
    done = course("run", name, "--lang", "qps", "--yes", "--vitals")
    assert done.returncode == 0
    assert "Ｓｔｅｐ" in done.stdout
    ours = re.sub(r"⟦[^⟧]*⟧", "", done.stdout + done.stderr)
    assert re.findall(r"[A-Za-z]{2,}", ours) == []


def test_a_run_that_takes_too_long_is_stopped_and_told() -> None:
    done = course("run", "ch8-4", "--step", "size-1-array", "--timeout", "2", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert document["completed"] is False
    assert [s["problem"] for s in document["steps"]] == ["time-limit", "time-limit"]
    assert document["steps"][0]["observed"]["fault"] is None
