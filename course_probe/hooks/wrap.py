"""Wrap methods of a framework: report what leaves them.

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
