"""Chapter 3's lessons: walked as a user would, and each bug and each pair of bugs proved live."""

import json
import re

import pytest

from course.judge.messages import learned
from course.lesson import lesson
from tests.command import course

LESSONS = ["ch3-2", "ch3-3", "ch3-4"]
pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("lang", ["zh", "ru", "en"])
@pytest.mark.parametrize("name", LESSONS)
def test_the_walk_ends_healthy_and_every_step_is_matched(name: str, lang: str) -> None:
    done = course("run", name, "--lang", lang, "--yes", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["completed"] is True
    assert found["lesson"] == name
    steps = found["steps"]
    parts = lesson.walked(name, "pt")
    assert [(s["part"], s["step"]) for s in steps] == [
        (part.lesson, step.id) for part in parts for step in part.steps
    ]
    assert all(step["matched"] for step in steps)
    for step in steps:
        quoted = step["step"] == "devices-differ" and found["device"] == "cpu"
        assert step["evidence"] == ("quoted" if quoted else "live")
    for step in (s for s in steps if s["step"] == "healthy"):
        figures = step["metrics"]
        assert figures["accuracy"] > figures["baseline"] + 0.1
        assert figures["f1"] > figures["f1_baseline"]
        assert learned(figures)
    if name == "ch3-2":
        # What the script prints by design is part of the step.
        output = steps[-1]["output"]
        said = "\n".join(line["text"] for line in output["lines"])
        assert "ClassLabel(names=" in said
        assert "'[SEP]'" in said
        assert re.search(r"lengths: \[\d+", said)
        assert "it/s" not in said
        assert any("MISSING" in warning["message"] for warning in output["warnings"])
    if name == "ch3-4":
        # Batches of four, two of them a step, in two processes: a step takes sixteen examples.
        examples = parts[1].outcome.examples
        assert steps[-1]["metrics"]["train_steps"] == 3 * -(-examples // 16)


@pytest.mark.parametrize("name", [*LESSONS, "ch3-4-accelerate"])
def test_each_bug_and_each_pair_of_bugs_bites_with_its_own_fault(name: str) -> None:
    done = course("dev", "check", name, "--json", "--jobs", "1", timeout=1200)
    found = json.loads(done.stdout)
    assert [run for run in found["runs"] if not run["holds"]] == []
    part = lesson.load(name).parts["pt"]
    proved = {frozenset(run["bugs"]) for run in found["runs"]}
    bugs = [bug.fault for bug in part.bugs]
    pairs = {frozenset((a, b)) for a in bugs for b in bugs}
    assert pairs <= proved
    assert found["holds"] is True
    assert done.returncode == 0
