"""The files of the embedded hub, as they lie in the repository."""

import hashlib
import importlib.util
import json
import math
import re
import sys
from collections import Counter
from types import ModuleType
from typing import Any

import pytest

from course.base import paths

HUB = paths.lessons() / "hub"
MANIFEST = json.loads((HUB / "manifest.json").read_text("utf-8"))
COLUMNS = {"mnli": ("premise", "hypothesis"), "mrpc": ("sentence1", "sentence2")}
SHARES = {"mnli": {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}, "mrpc": {0: 1 / 3, 1: 2 / 3}}
SPLITS = [
    *(("mnli", name) for name in ("train", "validation_matched", "validation_mismatched")),
    *(("mrpc", name) for name in ("train", "validation", "test")),
]
EACH_SPLIT = pytest.mark.parametrize(("task", "split"), SPLITS)
BERTS = ("bert-base-uncased", "bert-base-cased")


def rows(task: str, split: str) -> list[dict[str, Any]]:
    text = (HUB / "datasets" / "glue" / task / f"{split}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def made(name: str) -> ModuleType:
    """A module of the hub's make, loaded by its path as a grading does."""
    spec = importlib.util.spec_from_file_location(f"made_{name}", HUB / "make" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", MANIFEST["files"])
def test_each_file_is_the_one_that_was_made(name: str) -> None:
    content = (HUB / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == MANIFEST["files"][name]["sha256"]


def test_every_file_that_ships_is_listed() -> None:
    found = {
        path.relative_to(HUB).as_posix()
        for part in ("datasets", "metrics", "models")
        for path in (HUB / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert found == set(MANIFEST["files"])
    for task, listed in MANIFEST["datasets"]["glue"].items():
        assert listed["pairs"] == {name: len(rows(task, name)) for name in listed["pairs"]}


def test_all_lessons_together_stay_small() -> None:
    assert sum(p.stat().st_size for p in paths.lessons().rglob("*") if p.is_file()) < 20e6


@pytest.mark.parametrize("task", COLUMNS)
def test_the_sentences_come_out_the_same_each_time(task: str) -> None:
    """Those of the repository, from the seed that the manifest names."""
    module = made("sentences" if task == "mnli" else "paraphrases")
    for split, pairs in module.splits(MANIFEST["seed"]).items():
        for idx, (row, pair) in enumerate(zip(rows(task, split), pairs, strict=True)):
            hidden = task == "mnli" and split.startswith("test")
            texts = {name: getattr(pair, name) for name in COLUMNS[task]}
            # Equal and in this order: it is the order of the columns.
            assert list(row.items()) == list(
                {**texts, "label": -1 if hidden else pair.label, "idx": idx}.items()
            )


@EACH_SPLIT
def test_the_classes_have_their_shares(task: str, split: str) -> None:
    found = rows(task, split)
    counts = Counter(row["label"] for row in found)
    assert {label: n / len(found) for label, n in counts.items()} == pytest.approx(SHARES[task])


@pytest.mark.parametrize("task", COLUMNS)
def test_there_is_enough_to_train_on_and_nothing_is_shared(task: str) -> None:
    """No pair is in two splits; no first sentence either."""
    assert len(rows(task, "train")) >= {"mnli": 2000, "mrpc": 1620}[task]
    first = COLUMNS[task][0]
    splits = [rows(task, split) for owner, split in SPLITS if owner == task]
    sentences = [{row[first] for row in found} for found in splits]
    assert len(set.union(*sentences)) == sum(map(len, sentences))
    if task == "mrpc":
        texts = [{row[name] for row in found for name in COLUMNS[task]} for found in splits]
        assert len(set.union(*texts)) == sum(map(len, texts))


@EACH_SPLIT
@pytest.mark.parametrize("column", [0, 1])
def test_one_sentence_alone_tells_nothing(task: str, split: str, column: int) -> None:
    """The best that any rule on one sentence can do: guess its most frequent label, exactly."""
    found = rows(task, split)
    labels: dict[object, Counter[object]] = {}
    for row in found:
        labels.setdefault(row[COLUMNS[task][column]], Counter())[row["label"]] += 1
    right = sum(max(counter.values()) for counter in labels.values())
    assert right / len(found) < {"mnli": 0.45, "mrpc": 0.667}[task]


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_words_alone_do_not_tell_paraphrases(split: str) -> None:
    """No word is more frequent in pairs that are equivalent, and common words say little."""
    words: dict[str, Counter[int]] = {}
    common: Counter[tuple[int, int]] = Counter()
    found = rows("mrpc", split)
    for row in found:
        texts = [re.findall(r"\w+", row[name].lower()) for name in COLUMNS["mrpc"]]
        for word in (word for text in texts for word in text):
            words.setdefault(word, Counter())[row["label"]] += 1
        one, two = map(set, texts)
        common[int(10 * len(one & two) / len(one | two)), row["label"]] += 1
    assert {counts[1] / counts.total() for counts in words.values()} == {2 / 3}
    right = sum(max(common[tenth, 0], common[tenth, 1]) for tenth in range(11))
    assert 0.66 < right / len(found) < 0.78


def test_paraphrases_vary_in_length_and_hold_names() -> None:
    lengths = []
    for row in rows("mrpc", "train"):
        texts = row["sentence1"], row["sentence2"]
        assert all(text[0].isupper() or text[0].isdigit() for text in texts)
        assert re.search(r" [A-Z]", " ".join(texts))
        lengths.append(len(re.findall(r"\w+|[^\w\s]", " ".join(texts))))
    assert min(lengths) < 16
    assert max(lengths) > 40


def test_a_grading_can_draw_either_task() -> None:
    module = made("sentences")
    assert module.drawn("a") == module.drawn("a", "mnli")
    for task, columns in COLUMNS.items():
        drawn = module.drawn("a", task)
        again = module.drawn("a", task)
        other = module.drawn("b", task)
        assert {"train", "unseen"} <= set(drawn)
        # What a script picks by its number, in the lesson, is there.
        ours = {split: len(list(rows(task, split))) for split in set(drawn) - {"unseen"}}
        assert {split: len(drawn[split]) for split in ours} == ours
        for split, pairs in drawn.items():
            as_texts = [[getattr(p, name) for name in (*columns, "label")] for p in pairs]
            assert as_texts == [
                [getattr(p, name) for name in (*columns, "label")] for p in again[split]
            ]
            assert pairs != other[split]
        firsts = [{getattr(p, columns[0]) for p in pairs} for pairs in drawn.values()]
        assert len(set.union(*firsts)) == sum(map(len, firsts))


def test_what_is_drawn_for_mnli_has_not_changed() -> None:
    """Byte by byte: marks once given were given on it."""
    text = repr(
        {
            split: [(p.premise, p.hypothesis, p.label) for p in pairs]
            for split, pairs in made("sentences").drawn("ch8-4 pt 1").items()
        }
    )
    assert (
        hashlib.sha256(text.encode()).hexdigest()
        == "87c10cacab0f8a84e542994472742e49555476a42fa3b87e4d04dc398a26737d"
    )


def header(name: str) -> dict[str, Any]:
    raw = (HUB / "models" / name / "model.safetensors").read_bytes()
    found: dict[str, Any] = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    return {key: entry for key, entry in found.items() if key != "__metadata__"}


def vocabulary(name: str) -> list[str]:
    return (HUB / "models" / name / "vocab.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("name", MANIFEST["models"])
def test_a_checkpoint_is_whole(name: str) -> None:
    shapes = [entry["shape"] for entry in header(name).values()]
    assert sum(map(math.prod, shapes)) == MANIFEST["models"][name]["parameters"]
    folder = HUB / "models" / name
    config = json.loads((folder / "config.json").read_text("utf-8"))
    tokenizer = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    assert config["vocab_size"] == len(vocabulary(name)) == len(set(vocabulary(name)))
    assert tokenizer["do_lower_case"] is name.endswith("uncased")
    assert tokenizer["tokenizer_class"].removesuffix("Tokenizer").lower() == config["model_type"]


@pytest.mark.parametrize("name", BERTS)
def test_a_bert_is_small_and_has_a_pooler_and_a_dropout(name: str) -> None:
    assert all(p.stat().st_size < 1e6 for p in (HUB / "models" / name).iterdir())
    assert {"bert.pooler.dense.weight", "bert.pooler.dense.bias"} <= set(header(name))
    config = json.loads((HUB / "models" / name / "config.json").read_text("utf-8"))
    assert config["architectures"] == ["BertForMaskedLM"]
    assert config["hidden_dropout_prob"] == 0.1


def test_the_uncased_vocabulary_is_the_larger_one_by_far() -> None:
    """Its numbers for words of ours are too high for the cased model; the reverse is silent."""
    uncased, cased = map(vocabulary, BERTS)
    assert len(uncased) > 1.1 * len(cased)
    number = {word: i for i, word in enumerate(uncased)}
    beyond = [
        any(
            number.get(word, 0) >= len(cased)
            for name in COLUMNS["mrpc"]
            for word in re.findall(r"\w+", row[name].lower())
        )
        for row in rows("mrpc", "train")
    ]
    assert sum(beyond) > 0.5 * len(beyond)
