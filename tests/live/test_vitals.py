"""The vital signs of real trainings, and wrong mends that are told by name."""

import json
import re
from pathlib import Path

import pytest

from course.judge import broken_rules
from course.lesson import lesson
from course.runs import hub
from course.runs.environment import runtime
from course.runs.process import Job
from course.runs.run_context import RunContext
from course.runs.vital_signs import VitalSigns
from tests import documents
from tests.command import course
from tests.tiers import sample

PART = lesson.load("ch3-2").parts["pt"]
HEALTHY = PART.text(()).replace("range(2)", "range(1)")
ZERO, BACKWARD = "        optimizer.zero_grad()\n", "        loss.backward()\n"
OTHER = "AutoModelForSequenceClassification.from_pretrained(model.name_or_path)"
WRONG = {
    "backward-missing": [(BACKWARD, "")],
    "parameters-not-in-optimizer": [("AdamW(model.p", f"AdamW({OTHER}.p")],
    "learning-rate-too-high": [("lr=5e-5", "lr=0.5")],
    "evaluation-on-training-data": [('tokenized["validation"]', 'tokenized["train"]')],
}
"""What a learner may make of the healthy script, and the fault that it then shows: a sign of the
steps, of the weights, of the loss and of the data. `test_mends.py` has all that learners tried."""


def edited(text: str, edits: list[tuple[str, str]]) -> str:
    """Make each edit where the old text stands last: in the loop, not in the first step."""
    for old, new in edits:
        before, found, after = text.rpartition(old)
        assert found, old
        text = before + new + after
    return text


@pytest.mark.parametrize("fault", sample(list(WRONG), lambda number, _fault: number % 2 == 0))
def test_a_wrong_mend_is_told_by_its_name(fault: str, tmp_path: Path) -> None:
    done = course("start", "ch3-2", str(tmp_path), "--bugs", "none")
    assert done.returncode == 0, done.stderr
    script = tmp_path / "ch3-2-pt.py"
    text = script.read_text("utf-8").replace("range(2)", "range(1)")
    script.write_text(edited(text, WRONG[fault]), "utf-8")
    done = course("run", str(script), "--json")
    document = json.loads(done.stdout)
    (step,) = document["steps"]
    assert (done.returncode, step["observed"]["fault"]) == (1, fault)
    documents.validator("run").validate(document)


def signs_of(text: str) -> VitalSigns | None:
    found = runtime.find("pt", PART.requires)
    done = RunContext(found, hub.embedded(found)).run(Job(text))
    return broken_rules.with_ledger(done.record).vitals


def test_the_signs_of_a_healthy_training_are_those_of_its_weights_and_data() -> None:
    signs = signs_of(HEALTHY)
    assert signs is not None
    model, data, outcome = signs.model, signs.data, signs.outcome
    assert model.learning == model.held == model.moved == 41
    assert model.backwards == model.steps == model.passes == 203
    assert (model.cleared_before_step, model.first_moved) == (0.0, 1)
    assert model.left_over == 0.0
    assert (data.rows, data.examples, data.split) == (1620, 1620, "train")
    assert data.labels == {"0": 540, "1": 1080}
    assert (data.cut, data.text_columns, data.texts_in_ids) == (0.0, 2, 2)
    assert (outcome.rows, outcome.overlap, outcome.split) == (300, 0.0, "validation")
    assert outcome.said_off is not None
    assert outcome.said_off < 1e-6
    assert outcome.loss_gain is not None
    assert outcome.loss_gain > 0.1


@pytest.mark.exhaustive
def test_gradients_that_pile_up_are_a_sign() -> None:
    kept = signs_of(edited(HEALTHY, [(ZERO, "")]))
    assert kept is not None
    assert kept.model.left_over is not None
    assert kept.model.left_over > 0.5


def test_they_are_shown_when_asked_for(tmp_path: Path) -> None:
    course("start", "ch3-2", str(tmp_path), "--bugs", "none")
    script = tmp_path / "ch3-2-pt.py"
    script.write_text(edited(script.read_text("utf-8"), WRONG["backward-missing"]), "utf-8")
    told = course("run", str(script), "--vitals", "--lang", "ru").stdout
    assert re.search(r"! +изменились +0 из 41", told)
