"""A training that is written out by hand, once it has run: what is the same in each framework.

Nobody says when a loop of one's own begins to train in earnest: a batch may be learned by heart
before. So the script runs to its end, and the parts that it has used are asked then.
"""

from typing import Any

from course_probe.events import ClaimsEvent
from course_probe.exam.examination import PartMissing
from course_probe.hooks.measure import count_examples, count_labels


class FinishedLoop:
    """What holds of the parts of any loop that has run: it trains by itself, and only once."""

    def state(self) -> Any:
        """Nothing is trained again."""

    def restore(self, state: Any) -> None:
        """Nothing was changed."""

    def repair(self, kinds: list[str], data: dict[str, Any]) -> None:
        """Nothing of a loop that has run can be replaced."""
        raise PartMissing("loop")

    def train(self, epochs: float, evaluate: bool) -> Any:
        """Raise PartMissing: a loop trains by itself."""
        raise PartMissing("loop")


def claims(data: Any, batch_size: int | None, steps: int, batches: int) -> ClaimsEvent:
    """Return what a loop has done: `steps` over `data`, with so many `batches` in an epoch."""
    return ClaimsEvent(
        event="claims",
        examples=count_examples(data),
        labels=count_labels(data),
        batch_size=batch_size,
        epochs=steps / batches if batches > 0 else 0.0,
    )


def newest_first(model: Any, known: list[Any], most: int) -> list[Any]:
    """Models that a script has used, the one of this moment before the others."""
    return [model, *(each for each in known if each is not model)][:most]
