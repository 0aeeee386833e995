"""Metrics whose two sides have changed places, and lines that do nothing, by the text."""

import ast

import pytest

from course_probe.reading.idle_lines import never_trained, said_frozen
from course_probe.reading.swapped_scores import swapped_scores

PAIR = "    outputs, truth = pair\n    said = outputs.argmax(-1)\n"
NAMED = "    truth, said = pair.label_ids, pair.predictions.squeeze(-1)\n"
SHARE = "1 - ((truth - said) ** 2).sum() / (({0} - {0}.mean()) ** 2).sum()"


@pytest.mark.parametrize(
    ("before", "score", "lines"),
    [
        (PAIR, "recall_score(said, truth)", [4]),
        (PAIR, "recall_score(truth, said)", []),
        (PAIR, "precision_score(y_pred=truth, y_true=said)", [4]),
        (NAMED, "metric.compute(predictions=truth, references=said)", [3]),
        (NAMED, "metric.compute(predictions=said, references=truth)", []),
        (NAMED, SHARE.format("said"), [3]),
        (NAMED, SHARE.format("truth"), []),
        # An accuracy is the same either way, and masked answers are made of both.
        (NAMED, "accuracy_score(said, truth)", []),
        (NAMED, "r2_score(said[truth > 0], truth)", []),
    ],
)
def test_answers_in_the_place_of_labels(before: str, score: str, lines: list[int]) -> None:
    text = f"def measure(pair):\n{before}    return {score}\nTrainer(compute_metrics=measure)\n"
    assert swapped_scores(ast.parse(text)) == lines
    if before == PAIR:
        assert not swapped_scores(ast.parse(text.replace("compute_metrics=", "")))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("net.body.requires_grad = False", [1]),
        ("for part in net.parameters(): part.requires_grad = False", []),
        ("self.requires_grad = False", []),
        ("net.body.requires_grad_(False)", []),
    ],
)
def test_parts_that_are_said_to_be_frozen(text: str, lines: list[int]) -> None:
    assert said_frozen(ast.parse(text)) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("t = Trainer(train_dataset=rows)\nt.evaluate()", [2]),
        ("t = Trainer(train_dataset=rows)\nt.train()\nt.evaluate()", []),
        ("t = Trainer(eval_dataset=rows)\nt.evaluate()", []),
    ],
)
def test_a_trainer_that_never_trains(text: str, lines: list[int]) -> None:
    assert never_trained(ast.parse(text)) == lines
