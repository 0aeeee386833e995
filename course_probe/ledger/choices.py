"""By which figure of its evaluations a Trainer chooses the weights that it loads in the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MOST = 8
MOST_VALUES = 200


@dataclass
class Choice:
    """A figure that weights are chosen by: the highest or the lowest, and its values so far."""

    is_highest: bool
    values: list[float] = field(default_factory=list)


def note_choice(choices: dict[str, Choice], trainer: Any, figures: Mapping[str, Any]) -> None:
    """Note the figures of one evaluation, if the best weights are loaded in the end."""
    arguments = trainer.args
    name = str(arguments.metric_for_best_model or "")
    if not (name and arguments.load_best_model_at_end and getattr(trainer, "is_in_train", False)):
        return
    value = figures.get(name if name.startswith("eval_") else f"eval_{name}")
    if not isinstance(value, int | float) or (name not in choices and len(choices) >= MOST):
        return
    choice = choices.setdefault(name, Choice(bool(arguments.greater_is_better)))
    if len(choice.values) < MOST_VALUES:
        choice.values.append(float(value))
