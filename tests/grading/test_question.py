"""Questions: the right answer is right, and nothing else is, whatever a process may say."""

import copy
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course.grading.reference.dataset import EVALUATION, TRAIN, UNSEEN, Drawn
from course.grading.reference.question import (
    CLOSE,
    KINDS,
    ROUNDED,
    ROWS,
    SLOWEST,
    WRONG,
    Judged,
    Question,
    Weights,
    accuracies,
    explain,
)
from course.judge.named_figure import NamedFigure
from tests.grading import small
from tests.grading.examined import nonsense

NAMES = sorted(KINDS)
EVERY = pytest.mark.parametrize("kind", NAMES)
DRAWN = small.world().drawn


def ask(kind: str, seed: int = 0) -> Question:
    return {**KINDS[kind].ask(random.Random(seed), DRAWN), "kind": kind}


def judge(question: Question, value: Any, weights: Weights | None = None) -> Judged:
    """Judge an answer; one that makes no sense is wrong."""
    found = small.world().weights if weights is None else weights
    try:
        with np.errstate(all="ignore"):
            return KINDS[question["kind"]].judge(question, value, DRAWN, found)
    except WRONG:
        return Judged(False, {})


def noted(question: Question, value: Any) -> tuple[bool, dict[str, Any]]:
    judged = judge(question, value)
    return judged.right, dict(judged.notes)


@EVERY
@pytest.mark.parametrize("seed", range(5))
def test_a_mended_script_is_right_and_nothing_is_noted(kind: str, seed: int) -> None:
    question = ask(kind, seed)
    assert noted(question, small.answer(question)) == (True, {})


@EVERY
def test_no_two_questions_are_the_same(kind: str) -> None:
    # Of batches nobody is told more than how many.
    asked = {repr(ask(kind, seed)) for seed in range(20)}
    assert len(asked) == (2 if kind == "pairs" else 20)


@pytest.mark.parametrize("kind", ["metric", "outputs", "batch", "loss", "rate"])
def test_the_right_answer_to_another_question_is_wrong(kind: str) -> None:
    other = small.answer(ask(kind, 1))
    if kind == "batch":
        other["tokenized"] = False
    assert not judge(ask(kind, 2), other).right


def at(*path: Any, to: Any) -> Callable[[Any], None]:
    """Make a change of what lies in an answer at a path: `to` a value, or by a function."""

    def change(value: Any) -> None:
        *way, last = path
        for key in way:
            value = value[key]
        value[last] = to(value[last]) if callable(to) else to

    return change


def each_without_ids(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "input_ids"} for row in rows]


WRONG_ANSWERS: list[tuple[str, Callable[[Any], Any]]] = [
    *(("rows", at(which, "rows", to=each_without_ids)) for which in (TRAIN, EVALUATION)),
    # A sentence that was not drawn, and another number of examples than was asked for.
    ("rows", at(EVALUATION, "rows", 3, "input_ids", 1, to=1)),
    ("rows", at(EVALUATION, "rows", to=lambda rows: rows[1:])),
    ("rows", at(EVALUATION, "rows", to=[])),
    # Each batch that the training loads counts, with as many examples as were handed over.
    ("batch", at("own", "value", 2, "labels", 0, to=lambda label: label + 1)),
    ("batch", at("own", "value", 0, to=lambda batch: {n: rows[:6] for n, rows in batch.items()})),
    *(
        ("outputs", at("loss", to=loss))
        for loss in (0.0, float("nan"), float("inf"), -1.0, None, "nan", [], 1e308)
    ),
    *(
        ("outputs", at("logits", 0, 0, to=number))
        for number in (float("nan"), float("inf"), 1e308, -1e308, None, "x", [])
    ),
    *(
        ("metric", at(slice(None), to=[{"accuracy": said}] * 3))
        for said in (0.5, 1.0, 0.0, float("nan"), True, None, "", [0.5], {"x": 1}, -0.5, 10**400)
    ),
    *(("metric", at(n, "accuracy", to=lambda share: share - 1 / 31)) for n in range(3)),
    ("metric", at(slice(2, None), to=[])),
    ("metric", lambda value: value.append({"accuracy": 1.0})),
    ("pairs", at(TRAIN, to=[])),
    ("pairs", at(TRAIN, 1, "labels", to=None)),
    ("pairs", at(TRAIN, 1, "labels", to=lambda labels: [(n + 1) % 3 for n in labels])),
    ("pairs", at(TRAIN, 1, "labels", to=lambda labels: labels[:-1])),
    ("pairs", at(TRAIN, 0, "labels", to=lambda labels: [[label] for label in labels])),
    ("pairs", lambda value: value[TRAIN][0]["inputs"].pop("attention_mask")),
    ("pairs", at(TRAIN, 0, "inputs", "input_ids", to=lambda ids: ids[:-1])),
    ("pairs", at(TRAIN, 0, "inputs", "input_ids", 0, 1, to=1)),
    ("pairs", at(TRAIN, 0, "inputs", to=lambda inputs: inputs["input_ids"])),
    ("pairs", at(EVALUATION, to=[])),
    ("pairs", at(EVALUATION, 0, "labels", to=None)),
    *(
        ("rate", at("values", to=change))
        for change in (
            lambda values: [values],
            lambda values: values[:-1],
            lambda values: [*values, 0.0],
            lambda values: values[0],
            [],
            lambda values: [[v] for v in values],
        )
    ),
]


@pytest.mark.parametrize(("kind", "change"), WRONG_ANSWERS)
def test_whatever_is_wrong_in_an_answer_makes_it_wrong(
    kind: str, change: Callable[[Any], Any]
) -> None:
    question = ask(kind)
    value = small.answer(question)
    change(value)
    assert not judge(question, value).right


# The examples of the datasets.


def shown(question: Question, change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Make the right answer about the training examples, each of them changed."""
    value: dict[str, Any] = small.answer(question)
    for row in value[TRAIN]["rows"]:
        change(row)
    return value


def padded(row: dict[str, Any]) -> None:
    row["input_ids"] = [0] + row["input_ids"] + [0] * 4
    row["attention_mask"] = [0] + row["attention_mask"] + [0] * 4


@pytest.mark.parametrize(
    ("change", "right", "notes"),
    [
        (lambda row: row.pop("input_ids"), False, {}),
        (lambda row: row.update(input_ids=[]), False, {}),
        (lambda row: row["attention_mask"].append(1), False, {}),
        (lambda row: row.pop("attention_mask"), True, {}),
        # Padded when they were tokenized.
        (padded, True, {}),
        (lambda row: row.update(label=0), True, {"other-labels": {}}),
        (lambda row: row.update(labels=row.pop("label")), True, {}),
    ],
)
def test_examples_are_right_by_their_token_ids_and_noted_by_their_labels(
    change: Any, right: bool, notes: dict[str, Any]
) -> None:
    question = ask("rows")
    found = noted(question, shown(question, change))
    assert found[0] is right
    assert not right or found[1] == notes


def test_examples_in_another_order_are_right() -> None:
    question = ask("rows")
    value = small.answer(question)
    numbers = random.Random(3).sample(range(len(DRAWN.splits[TRAIN])), ROWS[TRAIN])
    value[TRAIN]["rows"] = small.rows(DRAWN, TRAIN, numbers)
    assert noted(question, value) == (True, {})


def test_training_on_the_validation_set_is_noted() -> None:
    question = ask("rows")
    value = small.answer(question)
    value[TRAIN]["rows"] = small.rows(DRAWN, EVALUATION, range(ROWS[TRAIN]))
    _right, notes = noted(question, value)
    assert notes == {"validation-data": {}}


@pytest.mark.parametrize(
    ("shared", "note"),
    [(0, "held-out"), *[(each, "other-evaluation") for each in (3, None, "0")]],
)
def test_a_part_of_the_training_set_that_is_kept_from_it_is_an_evaluation(
    shared: Any, note: str
) -> None:
    question = ask("rows")
    value = small.answer(question)
    rows = small.rows(DRAWN, TRAIN, range(ROWS[EVALUATION]))
    value[EVALUATION] = {"size": 90, "rows": rows, "shared": shared}
    assert noted(question, value) == (True, {note: {}})


@pytest.mark.parametrize("size", [8, True, None, "8", -1, 10**4000, 1.5, [8], float("nan")])
def test_a_handful_of_examples_over_and_over_is_noted(size: Any) -> None:
    question = ask("rows")
    value = small.answer(question)
    value[TRAIN] = {"size": size, "rows": small.rows(DRAWN, TRAIN, range(8)) * (ROWS[TRAIN] // 8)}
    figures = noted(question, value)[1]["fewer-examples"]
    assert figures["examples"] == small.SIZES[TRAIN]
    assert type(figures["found"]) is int
    assert 0 <= figures["found"] <= figures["examples"]
    if size == 8:
        assert figures["found"] == 8


def test_a_label_that_was_dropped_is_noted() -> None:
    question = ask("rows")
    value = small.answer(question)
    kept = [n for n, label in enumerate(DRAWN.splits[TRAIN].labels) if label != 1]
    value[TRAIN]["rows"] = small.rows(DRAWN, TRAIN, kept[: ROWS[TRAIN]])
    assert noted(question, value) == (True, {"fewer-labels": {"found": 2, "labels": 3}})


def test_all_labels_are_asked_for_often_enough_not_to_miss_one_by_chance() -> None:
    missed = DRAWN.labels * (1 - 1 / DRAWN.labels) ** ROWS[TRAIN]
    assert missed < 1e-7


# Batches.


@pytest.mark.parametrize(
    ("tokenized", "counts", "does_not"),
    [(True, "own", "drawn"), (False, "drawn", "own"), ("yes", "drawn", "own")],
)
def test_its_own_batches_count_where_there_are_token_ids(
    tokenized: Any, counts: str, does_not: str
) -> None:
    question = ask("batch")
    value = {**small.answer(question), "tokenized": tokenized}
    assert judge(question, {**value, does_not: {"error": "KeyError: 'label'"}}).right
    assert not judge(question, {**value, counts: {"error": "KeyError: 'label'"}}).right
    assert not judge(question, {**value, counts: {"value": []}}).right
    assert not judge(question, {**value, counts: value[does_not]}).right


def altered(
    question: Question, change: Callable[[dict[str, Any]], Any], tokenized: bool = True
) -> Any:
    """Make the right answer, with the batch that counts changed."""
    value = small.answer(question)
    value["tokenized"] = tokenized
    change(value["own" if tokenized else "drawn"]["value"][0])
    return value


def padded_within(batch: dict[str, Any]) -> None:
    for ids, mask in zip(batch["input_ids"], batch["attention_mask"], strict=True):
        ids.insert(2, 0)
        mask.insert(2, 0)


def ragged(batch: dict[str, Any]) -> None:
    kept = zip(batch["input_ids"], batch["attention_mask"], strict=True)
    batch["input_ids"] = [ids[: sum(mask)] for ids, mask in kept]


@pytest.mark.parametrize(
    "change",
    [
        ragged,
        padded_within,
        lambda batch: batch.pop("attention_mask"),
        lambda batch: batch.pop("labels"),
        lambda batch: batch.update(labels=[(n + 1) % 3 for n in batch["labels"]]),
        lambda batch: batch.update(labels=batch["labels"][:-1]),
        lambda batch: batch.update(attention_mask=[[1] * len(r) for r in batch["input_ids"]]),
        lambda batch: batch.update(attention_mask=[[0] * len(r) for r in batch["input_ids"]]),
        lambda batch: batch.update(attention_mask=[[2] * len(r) for r in batch["input_ids"]]),
        lambda batch: [row.reverse() for row in batch["input_ids"]],
        lambda batch: batch.update(input_ids=[row[:3] for row in batch["input_ids"]]),
        lambda batch: batch.update(input_ids=batch["input_ids"] * 2),
        lambda batch: [mask.__setitem__(1, 0) for mask in batch["attention_mask"]],
        lambda batch: batch.update(input_ids=[batch["input_ids"]]),
    ],
)
@pytest.mark.parametrize("tokenized", [True, False])
def test_a_batch_that_is_not_what_was_asked_for_is_wrong(change: Any, tokenized: bool) -> None:
    question = ask("batch")
    assert not judge(question, altered(question, change, tokenized)).right


def test_padding_on_the_left_is_padding_too() -> None:
    question = ask("batch")

    def turn(batch: dict[str, Any]) -> None:
        for ids, mask in zip(batch["input_ids"], batch["attention_mask"], strict=True):
            n = sum(mask)
            ids[:], mask[:] = ids[n:] + ids[:n], mask[n:] + mask[:n]

    value = altered(question, turn)
    assert {mask[-1] for mask in value["own"]["value"][0]["attention_mask"]} == {1}
    assert judge(question, value).right


def test_examples_of_one_length_show_nothing_of_padding() -> None:
    question = ask("batch")
    split = DRAWN.splits[TRAIN]
    same = [n for n, ids in enumerate(split.ids) if len(ids) == 8][: len(question["own"])]
    assert len(same) == len(question["own"])
    batch = small.batch_of(small.rows(DRAWN, TRAIN, same))
    assert not judge(question, {"tokenized": True, "own": {"value": [batch]}}).right


# The model.


def test_a_model_with_too_few_outputs_is_wrong() -> None:
    question = ask("outputs")
    weights = small.weights_of(1, labels=2)
    labels = [min(label, 1) for label in question["labels"]]
    value = small.answer({**question, "labels": labels}, weights=weights)
    assert not judge(question, value, weights).right
    del value["loss"]
    assert not judge(question, value, weights).right


def test_a_model_with_more_outputs_than_labels_is_right_and_noted() -> None:
    question = ask("outputs")
    weights = small.weights_of(1, labels=5)
    value = small.answer(question, weights=weights)
    judged = judge(question, value, weights)
    assert judged == Judged(True, {"other-outputs": {"found": 5, "labels": 3}})


@pytest.mark.parametrize(
    "weights",
    [
        {},
        small.weights_of(7),
        {n: w for n, w in small.world().weights.items() if n != "classifier.bias"},
        {**small.world().weights, "classifier.weight": np.zeros((3, 9), np.float32)},
        {**small.world().weights, "classifier.bias": np.full(3, 1e38, np.float32)},
    ],
)
def test_logits_that_do_not_come_of_the_weights_are_wrong(weights: Weights) -> None:
    question = ask("outputs")
    assert not judge(question, small.answer(question), weights).right


def test_a_model_may_end_in_the_softmax_of_its_logits_and_of_no_others() -> None:
    question = ask("outputs")
    weights = small.weights_of(7)
    logits = np.array(small.answer(question, weights=weights)["logits"])
    for off, right in ((0.0, True), (CLOSE * 4, False)):
        changed = logits.copy()
        changed[2][1] += off
        shares = np.exp(changed) / np.exp(changed).sum(axis=1, keepdims=True)
        assert judge(question, {"logits": shares.tolist()}, weights).right is right
    assert not judge(question, {"logits": np.full(logits.shape, 1 / 3).tolist()}, weights).right


def test_logits_may_be_off_by_what_rounding_makes_and_no_more() -> None:
    question = ask("outputs")
    for off, right in ((CLOSE / 2, True), (CLOSE * 2, False)):
        value = small.answer(question)
        value["logits"][2][1] += off
        value["loss"] = small.cross_entropy(value["logits"], question["labels"])
        assert judge(question, value).right is right
        # The loss need not be told.
        assert judge(question, {"logits": value["logits"]}).right is right


# The metric.


@pytest.mark.parametrize("scale", [1, 100])
@pytest.mark.parametrize("name", ["acc", "准确率", "eval_точность", "accuracy"])
def test_a_metric_may_call_the_accuracy_as_it_likes(name: str, scale: int) -> None:
    question = ask("metric")
    value = [{"f1": 0.1, name: scale * true} for true in accuracies(question)]
    judged = judge(question, value)
    assert judged.right
    assert judged.figure == NamedFigure(name.removeprefix("eval_"), scale)


def test_one_figure_is_right_in_all_draws_and_none_of_very_many() -> None:
    question = ask("metric")
    true = accuracies(question)
    turns = [{f"a{n}": v if n == turn else 0.0 for n in range(3)} for turn, v in enumerate(true)]
    assert not judge(question, turns).right
    assert not judge(question, [{"accuracy": 0.0, "acc": v} for v in true]).right
    many = [{**{f"a{n}": n / 1000 for n in range(1000)}, "acc": v} for v in true]
    assert not judge(question, many).right
    assert not judge(question, [{"acc": "high"}] * 3).right


def test_a_metric_may_round_to_two_places_and_no_more() -> None:
    question = ask("metric")
    exact = small.answer(question)
    assert judge(question, [{"accuracy": round(v["accuracy"], 2)} for v in exact]).right
    for off, right in ((ROUNDED * 0.9, True), (ROUNDED * 1.1, False)):
        assert judge(question, [{"accuracy": v["accuracy"] + off} for v in exact]).right is right


def test_a_figure_that_is_not_right_each_time_is_told_and_many_guesses_are_none() -> None:
    question = ask("metric")
    true = accuracies(question)
    wrong = [{"f1": 0.2, "acc": share} for share in (*true[:2], true[2] - 0.1)]
    assert not judge(question, wrong).right
    answered, _expected = explain("metric", question, wrong, small.world().drawn)
    assert answered == f"f1 0.2000, acc {true[0]:.4f}"
    # Among many guesses is the right one, too.
    guesses = [{str(n): share + n - 6 for n in range(13)} for share in true]
    assert not judge(question, guesses).right


def test_no_two_logits_are_the_same_so_that_the_highest_is_one() -> None:
    for seed in range(50):
        for asked in ask("metric", seed)["drawn"]:
            assert all(len(set(row)) == len(row) for row in asked["logits"])


# Pairs of inputs and labels.


def in_train(question: Question, change: Callable[[list[dict[str, Any]]], Any]) -> Any:
    value = small.answer(question)
    change(value[TRAIN])
    return value


def test_a_label_may_be_a_row_with_a_1_in_its_place() -> None:
    question = ask("pairs")

    def turn(batches: list[dict[str, Any]], off: int = 0, top: float = 1.0) -> None:
        for batch in batches:
            places = [(label + off) % 3 for label in batch["labels"]]
            batch["labels"] = [[top * (n == each) for n in range(3)] for each in places]

    value = in_train(question, turn)
    assert noted(question, value) == (True, {})
    answered, expected = explain("pairs", question, value, DRAWN)
    assert answered == expected
    assert "." not in answered
    for off, top in ((1, 1.0), (0, 2.0), (0, 0.0)):
        assert not judge(question, in_train(question, lambda b: turn(b, off, top))).right  # noqa: B023


def test_pairs_of_the_validation_set_to_train_on_are_noted() -> None:
    question = ask("pairs")
    value = small.answer(question)
    value[TRAIN] = copy.deepcopy(value[EVALUATION])
    assert noted(question, value)[1] == {"validation-data": {}}


# The learning rate.


@pytest.mark.parametrize(
    ("step", "right"),
    [
        (5e-5, True),
        (1e-4, True),
        (SLOWEST, True),
        (1e-3, False),
        (1.3e-4, False),
        (SLOWEST / 2, False),
        (0.0, False),
        (-5e-5, False),
        (float("nan"), False),
        (float("inf"), False),
    ],
)
def test_a_step_is_to_be_neither_too_long_nor_none(step: float, right: bool) -> None:
    question = ask("rate")
    pairs = zip(question["values"], question["gradients"], strict=True)
    # A little more than nothing, so that rounding does not decide.
    value = [v - np.sign(g) * step * 1.001 for v, g in pairs]
    assert judge(question, {"values": value}).right is right


# The loss.


def test_a_loss_that_takes_logits_for_probabilities_is_wrong() -> None:
    question = ask("loss")
    clipped = np.clip(question["logits"], 1e-7, 1)
    shares = clipped / clipped.sum(axis=1, keepdims=True)
    picked = shares[np.arange(16), question["labels"]]
    assert not judge(question, {"loss": float(-np.log(picked).mean())}).right


@pytest.mark.parametrize(
    ("off", "right"), [(CLOSE / 2, True), (-CLOSE * 2, False), (float("nan"), False)]
)
def test_a_loss_may_be_off_by_what_rounding_makes(off: float, right: bool) -> None:
    question = ask("loss")
    assert judge(question, {"loss": small.answer(question)["loss"] + off}).right is right


# Nonsense.

NONSENSE = nonsense(
    [
        *("train", "evaluation", "rows", "size", "input_ids", "attention_mask", "labels", "label"),
        *("drawn", "own", "value", "logits", "loss", "accuracy", "inputs", "values", "0"),
    ],
    [-(10**300), 2**63, float("nan"), float("inf"), -0.0, 1e308, "inf", "0", "1e3", "input_ids"],
)


@EVERY
@given(value=NONSENSE)
@settings(max_examples=15)
def test_nonsense_is_never_right(kind: str, value: Any) -> None:
    assert not judge(ask(kind), value).right


@EVERY
@given(data=st.data())
@settings(max_examples=15)
def test_an_answer_with_nonsense_in_it_is_judged_or_refused(kind: str, data: st.DataObject) -> None:
    question = ask(kind)
    whole: dict[str, Any] = {"answer": small.answer(question)}
    place: Any = whole
    key: Any = "answer"
    while isinstance(place[key], dict | list) and place[key] and data.draw(st.integers(0, 4)):
        place = place[key]
        keys = sorted(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(keys))
    place[key] = data.draw(NONSENSE)
    assert judge(question, whole["answer"]).right in (True, False)


def deep(levels: int) -> Any:
    value: Any = 0.5
    for _ in range(levels):
        value = [value]
    return value


@EVERY
def test_answers_without_measure_are_wrong_at_once(kind: str) -> None:
    question = ask(kind)
    long = [0.5] * 10**6
    table = [[1, 2]] * 10**4
    row = {"input_ids": long[: 10**5], "attention_mask": long[: 10**5]}
    side = {"size": 3, "rows": [row] * 2, "value": {**row, "labels": long}}
    batches = [{"inputs": {"input_ids": table, "attention_mask": table}, "labels": [0] * 10**4}]
    for value in (
        long,
        deep(900),
        {"logits": long, "loss": deep(900), "values": long, "drawn": side, "own": side},
        {"logits": table, "loss": 10**300, "values": table, TRAIN: side, EVALUATION: side},
        {"logits": deep(900), "values": deep(900), TRAIN: batches, EVALUATION: batches},
        [{"accuracy": deep(900)}] * 3,
        [{f"eval_{n}": 1 for n in range(10**4)}] * 3,
    ):
        assert not judge(question, value).right


def test_no_example_that_nobody_can_have_seen_is_known_by_its_label_alone() -> None:
    unseen = DRAWN.splits[UNSEEN].ids[0]
    assert DRAWN.where(unseen) == UNSEEN
    assert DRAWN.where((*unseen, 0)) is None
    assert DRAWN.label(()) is None


def test_of_two_sentences_with_the_same_ids_the_first_one_counts() -> None:
    first = DRAWN.splits[TRAIN]
    both = replace(DRAWN, splits={TRAIN: first, UNSEEN: replace(first, labels=first.labels[::-1])})
    assert isinstance(both, Drawn)
    assert (both.where(first.ids[0]), both.label(first.ids[0])) == (TRAIN, first.labels[0])
