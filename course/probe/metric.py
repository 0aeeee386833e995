"""Listening to the metrics of `evaluate`, where a script evaluates by its own hand."""

import functools
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe import loaders
from course_probe.hooks import Failed, figures, length
from course_probe.journal import Journal


def listen(module: ModuleType, journal: Journal, failed: Failed) -> None:
    """Tell of each computed metric, unless a Trainer has it computed and tells of it itself."""
    kind = module.EvaluationModule
    make, finalize = kind.__init__, kind._finalize
    gathered: list[Any] = []

    @functools.wraps(finalize)
    def finalized(metric: Any) -> Any:
        result = finalize(metric)
        data = getattr(metric, "data", None)
        if data is not None and "references" in (data.column_names or ()):
            gathered[:] = data["references"][:]
        return result

    @functools.wraps(make)
    def made(metric: Any, *arguments: Any, **named: Any) -> None:
        make(metric, *arguments, **named)
        # Every metric has a `compute` of its own, copied from the class to carry its description.
        metric.compute = heard(metric.compute)

    def heard(compute: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(compute)
        def computed(**named: Any) -> Any:
            gathered.clear()
            result = compute(**named)
            tell(result)
            return result

        return computed

    def tell(result: Any) -> None:
        if result is not None and not journal.trainer:
            loop = journal.ears.get("loop")
            values = {f"eval_{name}": value for name, value in figures(result).items()}
            _tell_share(journal, len(gathered))
            counts = Counter(str(label) for label in gathered)
            journal.write(
                "evaluate",
                step=loop.steps if loop is not None else 0,
                values=values,
                examples=len(gathered),
                labels=counts,
            )

    kind.__init__, kind._finalize = made, finalized


def _tell_share(journal: Journal, examples: int) -> None:
    """Of the examples that the last loader walked through holds, the share that was scored."""
    of = length(getattr(loaders.of(journal).walked, "dataset", None))
    if of:
        share = journal.ears.get("share")
        figures = share.figures() if share is not None else {}
        journal.write("figures", values={"evaluated_share": examples / of, **figures})
