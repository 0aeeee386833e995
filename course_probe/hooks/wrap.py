"""Wrap methods of a framework: observe their calls, report what leaves them."""

import functools
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

FAILED: Counter[str] = Counter()
"""How often a note could not be taken, by what was to be noted and the class of the exception."""


class ReportFailure(Protocol):
    """Writes a `failed` event of an exception, in a `worker` or not."""

    def __call__(self, error: BaseException, *, worker: bool = False) -> None:
        """Report the exception."""


def report_exceptions(method: Callable[..., Any], report: ReportFailure) -> Callable[..., Any]:
    """The same method, whose exceptions are reported on their way out."""

    @functools.wraps(method)
    def reporting(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        except Exception as error:
            report(error)
            raise

    return reporting


def noted(note: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What is noted of a call; nothing where that fails, as somebody's script has to go on.

    Tensors without numbers, of other devices or of kinds of one's own are given to networks, too.
    """
    try:
        return note(*arguments, **named)
    except Exception as error:  # noqa: BLE001
        FAILED[f"{note.__qualname__}: {type(error).__name__}"] += 1
        return None


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
            before(instance)
        result = original(instance, *arguments, **named)
        if after is not None:
            after(instance)
        return result

    setattr(kind, name, observed)
