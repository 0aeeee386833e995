"""The vital signs of a training: what was measured of it, from outside of what its script says.

The probe measures them in every training (`course_probe/hooks/vitals.py`) and writes them as one
event. A sign that could not be measured is None: never 0, never a guess. Shares are between 0 and
1, norms are Euclidean, losses in nats.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from course.base import schema
from course.base.schema import Place

EVALUATION_SPLIT = re.compile(r"(?:validation|valid|val|dev|eval|test)(?![a-z])")
"""How the split begins that data are kept in for an evaluation: `validation_matched`, `test`."""
OVERLAP = 0.3
"""Up to this share of the evaluation examples, the training had other ones."""


@dataclass(frozen=True)
class ParameterGroup:
    """A part of the model: how many parameter tensors it has, learn, are held by an optimizer.

    `moved` is how many of those that learn are not what they were before the training, `moved_by`
    the norm of the change of all of them beside the norm of what they were.
    """

    name: str
    parameters: int
    learning: int
    held: int | None = None
    moved: int | None = None
    moved_by: float | None = None


@dataclass(frozen=True)
class ModelSigns:
    """The model that was trained.

    Tensors: `parameters` in all, `learning` want a gradient, `held` are of these in an optimizer
    (`held_share`), `moved` of these are not what they were before (`moved_share`), by `moved_by` of
    their norm, from the step `first_moved` on, by `first_move` at once. `frozen_moved` have moved
    though no gradient is wanted for them.

    The training: `processes` train together, and what one of them did is told; `passes` with a loss
    that wants gradients, `backwards`, `steps` of an optimizer, `optimizers` that step, or that
    there are before one does. Shares of the steps that were looked at:
    `without_gradient` found none or only zeros, `cleared_before_step` had them cleared after the
    last `backward()`, `infinite_gradient` found one that is no finite number.
    `left_over` is the share of the gradient that was there before a new one came; `gradient` the
    mean norm at a step.

    `evaluated_is_trained` is 1 where the model that was evaluated is the one that was trained, or
    equal to it. `train_mode_share` and `evaluate_mode_share` are the passes in training mode.
    """

    name: str | None = None
    device: str | None = None
    dtype: str | None = None
    processes: int | None = None
    optimizer: str | None = None
    optimizers: int | None = None
    parameters: int | None = None
    numbers: int | None = None
    learning: int | None = None
    held: int | None = None
    held_share: float | None = None
    moved: int | None = None
    moved_share: float | None = None
    moved_by: float | None = None
    first_moved: int | None = None
    first_move: float | None = None
    frozen_moved: int | None = None
    passes: int | None = None
    backwards: int | None = None
    steps: int | None = None
    without_gradient: float | None = None
    cleared_before_step: float | None = None
    infinite_gradient: float | None = None
    left_over: float | None = None
    gradient: float | None = None
    train_mode_share: float | None = None
    evaluate_mode_share: float | None = None
    evaluated_is_trained: int | None = None
    groups: tuple[ParameterGroup, ...] = ()


@dataclass(frozen=True)
class LossSigns:
    """The loss of the training passes: the mean of the first few and of the last tenth.

    `begin` is that of the very first one, before any step, `highest` the highest that is a number.

    `guess` is that of guessing, the logarithm of the number of classes; `last_to_guess` the ratio
    of `last` to it. `finite` is the share of the passes whose loss is a number.
    """

    first: float | None = None
    last: float | None = None
    guess: float | None = None
    last_to_guess: float | None = None
    finite: float | None = None
    begin: float | None = None
    highest: float | None = None


@dataclass(frozen=True)
class RateSigns:
    """The learning rate as the steps had it, and what is usual for such a model and optimizer.

    `highest`, `lowest`, `mean`, `last` over the steps; `zero_share` of the steps had none, or
    less than a ten-millionth of the highest; `usual_low` and `usual_high` are None where nothing is
    usual.
    """

    highest: float | None = None
    lowest: float | None = None
    mean: float | None = None
    last: float | None = None
    zero_share: float | None = None
    usual_low: float | None = None
    usual_high: float | None = None


@dataclass(frozen=True)
class DataSigns:
    """What the training really saw: `rows` in all, `examples` that differ, how often each came.

    `labels` counts rows by label. `order` is how often two neighbouring rows had different labels,
    beside what chance would give (1 for shuffled data, near 0 for sorted). Shares of tokens:
    `unknown`, of labels: `ignored` (-100). `cut` is the share of the tokens of the texts that
    truncation took away, `text_columns` how many columns of text the data have and `texts_in_ids`
    how many of these are in the token ids of a row. `padding` is the number of columns beside
    those that the longest row needs. `split` is the name of the split that the loader held, or that
    the rows are of where the hub has them.

    Beside the data in the hub: the share `of_data` of the rows has the texts of a row there, and
    `labels_of_data` is the share of these that have its label, under whatever name.
    """

    rows: int | None = None
    examples: int | None = None
    repeats: float | None = None
    labels: dict[str, int] = field(default_factory=dict)
    classes: int | None = None
    batch_size: int | None = None
    order: float | None = None
    unknown: float | None = None
    ignored: float | None = None
    cut: float | None = None
    text_columns: int | None = None
    texts_in_ids: int | None = None
    padding: float | None = None
    split: str | None = None
    of_data: float | None = None
    labels_of_data: float | None = None


@dataclass(frozen=True)
class OutcomeSigns:
    """The last evaluation, counted by us: the model's own predictions beside the labels.

    `rows` were evaluated, `examples` of them differ, `overlap` is the share that the training saw
    too. `accuracy`, `f1` (of class 1, where there are two), the `loss` and the `baseline` of the
    most frequent label are of all rows; `answers` and `labels` count rows by class. `margin` is
    `accuracy` less `baseline`, `error` the standard error of `accuracy`.

    Before and after: on `compared` of these rows the untrained model has `accuracy_before` and
    `loss_before`, the trained one `accuracy_after` and `loss_after`; `gain` is the difference of
    the accuracies, `loss_gain` by how much the loss fell.

    The script's own word: `said` are its figures, `said_accuracy` and `said_f1` the last ones
    of that name, `said_off` the greatest difference of these to ours. Its metric was given
    something `given_times`, and `given` rows the last time. Of those, shares of rows:
    `given_answers` are the model's answers, `given_lowest` the classes with the lowest output,
    `given_labels` the labels in place of predictions, `given_swapped` have answers
    and labels in each other's place, and `given_across` say for a class in which row of the batch
    its output is highest, which is what a search along the wrong axis gives.

    `of_data` and `labels_of_data` are what they are of the training's data.
    """

    rows: int | None = None
    examples: int | None = None
    overlap: float | None = None
    accuracy: float | None = None
    f1: float | None = None
    loss: float | None = None
    baseline: float | None = None
    f1_baseline: float | None = None
    margin: float | None = None
    error: float | None = None
    answers: dict[str, int] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    classes: int | None = None
    split: str | None = None
    compared: int | None = None
    accuracy_before: float | None = None
    accuracy_after: float | None = None
    gain: float | None = None
    loss_before: float | None = None
    loss_after: float | None = None
    loss_gain: float | None = None
    said: dict[str, float] = field(default_factory=dict)
    said_accuracy: float | None = None
    said_f1: float | None = None
    said_off: float | None = None
    given: int | None = None
    given_times: int | None = None
    given_answers: float | None = None
    given_lowest: float | None = None
    given_labels: float | None = None
    given_swapped: float | None = None
    given_across: float | None = None
    of_data: float | None = None
    labels_of_data: float | None = None


@dataclass(frozen=True)
class VitalSigns:
    """All signs of one training; see the classes of its parts."""

    model: ModelSigns = ModelSigns()
    loss: LossSigns = LossSigns()
    rate: RateSigns = RateSigns()
    data: DataSigns = DataSigns()
    outcome: OutcomeSigns = OutcomeSigns()

    def figures(self) -> Iterator[tuple[str, float]]:
        """Each sign that is a number and was measured, as `part.sign`, and what follows from two.

        `model.learning_share` of the parameter tensors learn. `data.texts_left_out` columns of text
        are not in the token ids; `outcome.said_accuracy_off` is how far the script's accuracy is
        from ours. `data.evaluation_split` is 1 where the split that was trained on is one for
        evaluations, by its name, unless the evaluation was heard to be on other examples.
        """
        for part in fields(self):
            for name, value in vars(getattr(self, part.name)).items():
                if isinstance(value, int | float):
                    yield f"{part.name}.{name}", float(value)
        model = self.model
        if model.learning is not None and model.parameters:
            yield "model.learning_share", model.learning / model.parameters
        data, outcome = self.data, self.outcome
        if data.text_columns is not None and data.texts_in_ids is not None:
            yield "data.texts_left_out", float(data.text_columns - data.texts_in_ids)
        if data.split is not None:
            seen = outcome.overlap is None or outcome.overlap > OVERLAP
            yield "data.evaluation_split", float(seen and bool(EVALUATION_SPLIT.match(data.split)))
        if outcome.said_accuracy is not None and outcome.accuracy is not None:
            yield "outcome.said_accuracy_off", abs(outcome.said_accuracy - outcome.accuracy)


def read(event: Mapping[str, Any]) -> VitalSigns:
    """Read the signs that an event holds.

    Raises:
        ValueError: it is not of the format.

    """
    signs = {name: part for name, part in event.items() if name != "event"}
    return schema.parse(VitalSigns, _measured(signs), Place(Path("vitals"), ValueError))


def _measured(value: Any) -> Any:
    """Return a value without what was not measured; a number must be finite."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"not finite: {value}")
    if isinstance(value, list):
        return [_measured(each) for each in value]
    if isinstance(value, dict):
        return {name: _measured(each) for name, each in value.items() if each is not None}
    return value
