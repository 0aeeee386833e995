"""The main job: each fault live, each recognised, and at the end a model that has learned."""

import json
import re
from typing import Any

import pytest

from course.lesson import lesson
from tests.command import course
from tests.tiers import exhaustive

STEPS = [step.id for step in lesson.load("ch8-4").parts["pt"].steps]


def test_the_walk_is_as_expected_in_every_step(walk: dict[str, Any]) -> None:
    assert walk["completed"] is True
    assert (walk["lesson"], walk["framework"], walk["lang"]) == ("ch8-4", "pt", "ru")
    assert walk["hub"] == "embedded"
    assert [s["step"] for s in walk["steps"]] == STEPS
    assert all(s["matched"] for s in walk["steps"])
    assert all(s["question"] for s in walk["steps"])
    assert {"python", "torch", "transformers", "datasets", "evaluate"} <= set(walk["runtime"])


def test_evidence_is_live_everywhere_but_for_cuda(walk: dict[str, Any]) -> None:
    for step in walk["steps"]:
        if step["step"] == "cublas" and walk["device"] == "cpu":
            assert step["evidence"] in ("recorded", "quoted")
        else:
            assert step["evidence"] == "live"
            assert step["seconds"] > 0


def test_each_fault_is_told_with_the_words_of_the_library(walk: dict[str, Any]) -> None:
    observed = {s["step"]: s["observed"] for s in walk["steps"]}
    for name in STEPS[:-1]:
        assert observed[name]["fault"] == name
        assert observed[name]["wording"] in ("course", "later")
    assert observed["target-out-of-bounds"]["message"] == "Target 2 is out of bounds."
    assert observed["target-out-of-bounds"]["exception"] == "IndexError"
    assert observed["target-out-of-bounds"]["wording"] == "course"
    assert re.match(r"expected sequence of length \d+ ", observed["length-mismatch"]["message"])
    assert set(observed["healthy"].values()) == {None}


def test_the_healthy_run_beats_the_baseline(walk: dict[str, Any]) -> None:
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
