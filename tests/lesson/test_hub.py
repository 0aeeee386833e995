"""The files of the embedded hub, as they lie in the repository."""

import hashlib
import json
from collections import Counter

import pytest

from course import paths

HUB = paths.lessons() / "hub"
MANIFEST = json.loads((HUB / "manifest.json").read_text("utf-8"))
SPLITS = ["train", "validation_matched", "validation_mismatched"]


def rows(split: str) -> list[dict[str, object]]:
    text = (HUB / "datasets" / "glue" / "mnli" / f"{split}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("name", MANIFEST["files"])
def test_each_file_is_the_one_that_was_made(name: str) -> None:
    content = (HUB / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == MANIFEST["files"][name]["sha256"]


def test_all_lessons_together_stay_small() -> None:
    assert sum(p.stat().st_size for p in paths.lessons().rglob("*") if p.is_file()) < 20e6


@pytest.mark.parametrize("split", SPLITS)
def test_the_classes_are_balanced(split: str) -> None:
    counts = Counter(row["label"] for row in rows(split))
    assert len(counts) == 3
    assert len(set(counts.values())) == 1


def test_there_is_enough_to_train_on_and_no_pair_is_shared() -> None:
    assert len(rows("train")) >= 2000
    seen = [{(r["premise"], r["hypothesis"]) for r in rows(split)} for split in SPLITS]
    assert not seen[0] & seen[1]
    assert not seen[0] & seen[2]
    assert not seen[1] & seen[2]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("column", ["premise", "hypothesis"])
def test_one_sentence_alone_tells_nothing(split: str, column: str) -> None:
    """The best that any rule on one sentence can do: guess its most frequent label, exactly."""
    labels: dict[object, Counter[object]] = {}
    for row in rows(split):
        labels.setdefault(row[column], Counter())[row["label"]] += 1
    right = sum(max(counter.values()) for counter in labels.values())
    assert right / len(rows(split)) < 0.45
