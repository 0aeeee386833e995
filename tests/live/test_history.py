"""What is behind a learner, what bites for another reason, and names that the hub does not have."""

import json
from pathlib import Path
from typing import Any

import pytest

from course.lesson import lesson
from tests.command import course
from tests.tiers import sample

CH3, CH8 = lesson.load("ch3-2").parts["pt"], lesson.load("ch8-4").parts["pt"]
LENGTH = next(bug for bug in CH3.bugs if bug.fault == "length-mismatch")
FOREIGN = next(bug for bug in CH3.bugs if bug.fault == "foreign-tokenizer")
NUM_LABELS = next(bug for bug in CH8.bugs if bug.fault == "target-out-of-bounds")


def started(folder: Path, name: str, *bugs: str) -> Path:
    done = course("start", name, str(folder), "--bugs", ",".join(bugs) or "none")
    assert done.returncode == 0, done.stderr
    return folder / f"{name}-pt.py"


def edited(script: Path, old: str, new: str) -> None:
    text = script.read_text("utf-8")
    assert text.count(old) == 1
    script.write_text(text.replace(old, new), "utf-8")


def judged(script: Path) -> dict[str, Any]:
    """Run an exercise once; its document."""
    found: dict[str, Any] = json.loads(course("run", str(script), "--json").stdout)
    return found


@pytest.mark.exhaustive
def test_a_bug_of_two_places_is_behind_once_both_are_mended(tmp_path: Path) -> None:
    script = started(tmp_path, "ch3-2", LENGTH.fault, FOREIGN.fault)
    first, second = LENGTH.edits
    edited(script, first.buggy, first.healthy)
    past = judged(script)
    assert past["steps"][0]["step"] == FOREIGN.fault
    assert past["exercise"]["behind"] == []
    edited(script, FOREIGN.edits[0].buggy, FOREIGN.edits[0].healthy)
    told = course("run", str(script)).stdout
    assert f"(`{LENGTH.fault}`)" in told
    assert "1 of its 2 places is fixed; the bug is still there in another place." in told
    assert "brought it back" not in told
    fix = json.loads(course("fix", str(script), "--json", "--apply", "--yes").stdout)
    assert fix["applied"]
    assert second.healthy in script.read_text("utf-8")
    assert judged(script)["exercise"]["behind"] == [LENGTH.fault, FOREIGN.fault]


def test_a_label_of_minus_one_is_not_mended_with_num_labels(tmp_path: Path) -> None:
    script = started(tmp_path, "ch8-4", NUM_LABELS.fault)
    (edit,) = NUM_LABELS.edits
    edited(script, edit.buggy, edit.healthy)
    edited(script, 'tokenized["validation_matched"]', 'tokenized["test_matched"]')
    edited(script, "trainer.train()", "trainer.evaluate()\ntrainer.train()")
    told = " ".join(course("run", str(script)).stdout.split())
    assert "(`target-out-of-bounds`)" in told
    assert "One of the labels is `-1`" in told
    assert "not one of the exercise's own bugs" in told
    for rung in ("1", "2", "3"):
        hint = json.loads(course("hint", str(script), "--rung", rung, "--json").stdout)
        assert hint["fault"] == NUM_LABELS.fault
        assert not any(
            "num_labels=" in text or "pass `num_labels`" in text for text in hint["texts"]
        )
    fix = course("fix", str(script), "--json")
    assert (fix.returncode, json.loads(fix.stdout)["reason"]) == (1, "own")


LOADS = {
    'from_pretrained("distilbert-base-uncaesd")': "`distilbert-base-uncased`?",
    'load_dataset("glu", "mnli")': "`glue`?",
    'load_dataset("glue", "mnlii")': "`mnli`?",
    'evaluate.load("glu", "mnli")': "`glue`?",
    'evaluate.load("glue", "mnlii")': "`mnli`?",
}


@pytest.mark.parametrize("call", sample(list(LOADS), lambda number, _call: number in (0, 2)))
def test_a_name_that_the_embedded_hub_does_not_have(call: str, tmp_path: Path) -> None:
    script = started(tmp_path, "ch8-4")
    head = script.read_text("utf-8").splitlines()[0]
    imports = (
        "import evaluate\nfrom datasets import load_dataset\nfrom transformers import AutoModel"
    )
    script.write_text(f"{head}\n{imports}\n{call.replace('from_pre', 'AutoModel.from_pre')}\n")
    told = " ".join(course("run", str(script)).stdout.split())
    assert "(`hub-name-unknown`)" in told
    assert f"Did you mean {LOADS[call]}" in told
    assert "--hub embedded" not in told


@pytest.mark.exhaustive
def test_a_slip_of_ones_own_is_named_and_the_nearest_name_told(tmp_path: Path) -> None:
    script = started(tmp_path, "ch3-4")
    edited(script, 'pairs["sentence1"]', 'pairs["sentense1"]')
    told = course("run", str(script)).stdout
    assert "(`misspelt-name`)" in told
    assert "The most similar name that exists: `sentence1`." in told
    assert "not one of the exercise's own bugs" in told
    hints = [course("hint", str(script)).stdout for _press in range(3)]
    assert [f"Hint {n} of 3" in hint for n, hint in enumerate(hints, start=1)] == [True] * 3
    edited(script, 'pairs["sentense1"]', 'pairs["sentence1"]')
    edited(script, 'eval_loader = DataLoader(ready["validation"]', "eval_loader = DataLoader(ready")
    shown = judged(script)["steps"][0]
    assert (shown["observed"]["fault"], shown["problem"]) == ("split-not-selected", None)


def test_a_trainer_that_never_trains_and_one_that_trains_on_the_wrong_split(tmp_path: Path) -> None:
    script = started(tmp_path, "ch8-4")
    edited(script, "trainer.train()", "print(trainer.evaluate())")
    assert judged(script)["steps"][0]["observed"]["fault"] == "training-missing"
    edited(script, "print(trainer.evaluate())", "trainer.train()")
    edited(
        script, 'train_dataset=tokenized["train"]', 'train_dataset=tokenized["validation_matched"]'
    )
    assert judged(script)["steps"][0]["observed"]["fault"] == "trained-on-evaluation-data"
