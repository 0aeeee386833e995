"""Conditions on the state of a run at the moment in which an exception was raised.

One message can have several causes: `index out of range in self` is a text too long, a token too
many or another model's tokenizer. Which it is stands in what the failing line worked on, as far as
the probe could measure it (`course_probe/crash_state.py`).
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from course.base.i18n import _
from course.base.schema import Unfit
from course.runs.record import Fact

Bound = float | str
"""A number, or the name of another fact."""
ORDERED: dict[str, Callable[[Any, Any], Any]] = {
    "above": operator.gt,
    "below": operator.lt,
    "at_least": operator.ge,
    "at_most": operator.le,
}
KEYS = {**ORDERED, "is": operator.eq, "is_not": operator.ne}


@dataclass(frozen=True)
class StateCondition:
    """A fact that is compared with numbers, words or other facts: with all `bounds`, by their keys.

    The keys are `above`, `below`, `at_least`, `at_most`, `is` and `is_not`.
    """

    figure: str
    bounds: tuple[tuple[str, Bound], ...]

    def holds(self, state: Mapping[str, Fact]) -> bool | None:
        """Whether it is so; None where the fact, or one it is compared with, was not measured."""
        answers = [self._compare(state, key, bound) for key, bound in self.bounds]
        if False in answers:
            return False
        return None if None in answers else True

    def _compare(self, state: Mapping[str, Fact], key: str, bound: Bound) -> bool | None:
        value = state.get(self.figure)
        if isinstance(bound, str) and (key in ORDERED or bound in state):
            # Words are compared as they stand; a word that is the name of a fact stands for it.
            other = state.get(bound)
        else:
            other = bound
        if value is None or other is None:
            return None
        if key in ORDERED and (isinstance(value, str) or isinstance(other, str)):
            return False
        return bool(KEYS[key](value, other))


def read_conditions(tables: tuple[dict[str, Any], ...]) -> tuple[StateCondition, ...]:
    """Conditions as an entry of the catalogue writes them: `{ figure = "a.b", at_least = 3 }`.

    Raises:
        Unfit: one names no figure, or compares it with nothing, or by a key that there is not.

    """
    return tuple(map(_read, tables))


def _read(table: dict[str, Any]) -> StateCondition:
    figure = table.get("figure")
    bounds = {key: value for key, value in table.items() if key != "figure"}
    known = all(
        key in KEYS and isinstance(value, int | float | str) for key, value in bounds.items()
    )
    if not isinstance(figure, str) or not bounds or not known:
        sentence = _("`state`: a condition is a `figure` and one of {keys} with its bound.")
        raise Unfit(sentence.format(keys=", ".join(f"`{key}`" for key in KEYS)))
    return StateCondition(figure, tuple(bounds.items()))
