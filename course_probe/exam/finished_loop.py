"""A training that is written out by hand, once it has run: what is the same in each framework.

Nobody says when a loop of one's own begins to train in earnest: a batch may be learned by heart
before. So the script runs to its end, and the parts that it has used are asked then.
"""

from typing import Any

from course_probe.events import ClaimsEvent
from course_probe.hooks.measure import count_labels
from course_probe.lengths import length


def claims(data: Any, batch_size: int | None, steps: int, batches: int) -> ClaimsEvent:
    """Return what a loop has done: `steps` over `data`, with so many `batches` in an epoch."""
    return ClaimsEvent(
        event="claims",
        examples=length(data),
        labels=count_labels(data),
        batch_size=batch_size,
        epochs=steps / batches if batches > 0 else 0.0,
    )


def newest_first(model: Any, known: list[Any], most: int) -> list[Any]:
    """Models that a script has used, the one of this moment before the others."""
    return [model, *(each for each in known if each is not model)][:most]
