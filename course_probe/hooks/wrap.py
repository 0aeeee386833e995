"""Wrap methods of a framework: observe their calls, report what leaves them.

Whatever of ours is called from a script's own calls is called by way of `noted`.
"""

import functools
from collections.abc import Callable
from typing import Any, Protocol

from course_probe.guard import noted


class ReportFailure(Protocol):
    """Writes a `failed` event of an exception, in a `worker` or not."""

    def __call__(self, error: BaseException, *, worker: bool = False) -> None:
        """Report the exception."""


def report_exceptions(method: Callable[..., Any], report: ReportFailure) -> Callable[..., Any]:
    """Wrap the method so that its exceptions are reported on their way out."""

    @functools.wraps(method)
    def reporting(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        except Exception as error:
            noted(report, error)
            raise

    return reporting


def observe(
    kind: Any,
    name: str,
    *,
    before: Callable[[Any], object] | None = None,
    after: Callable[[Any], object] | None = None,
) -> None:
    """Have each call of the method `name` of a class call `before` and `after` with its object."""
    original = getattr(kind, name)

    @functools.wraps(original)
    def observed(instance: Any, *arguments: Any, **named: Any) -> Any:
        if before is not None:
            noted(before, instance)
        result = original(instance, *arguments, **named)
        if after is not None:
            noted(after, instance)
        return result

    setattr(kind, name, observed)
