"""The three tiers of tests, and how a long list is shared between them.

- *fast* (``-m "not live"``): no framework is imported; run at every save. Of a test with many
  cases it takes some (`spread`).
- *live* (``-m "live and not exhaustive"``): the other cases of those, and the real frameworks,
  browser, sandbox, terminal. CI runs it beside the fast tier, the same tests at every commit.
- *exhaustive* (``-m exhaustive``): the rest of the lists whose cases take long, or are products of
  languages, widths and faults; of these the other tiers take some cases, always the same ones.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
CASES_IN_THE_FAST_TIER = 5
"""How many cases of one test the fast tier takes at the most."""


def spread(cases: Sequence[T]) -> list[T]:
    """Some of a long list, from its first to its last, as far from each other as can be."""
    steps = CASES_IN_THE_FAST_TIER - 1
    if len(cases) <= CASES_IN_THE_FAST_TIER:
        return list(cases)
    return [cases[round(number * (len(cases) - 1) / steps)] for number in range(steps + 1)]


def exhaustive(case: Any, name: str | None = None) -> Any:
    """A case of a parametrized test that only the exhaustive tier takes."""
    return pytest.param(case, marks=pytest.mark.exhaustive, id=name)


def sample(
    cases: Sequence[T], chosen: Callable[[int, T], bool], *, spread: bool = False
) -> list[Any]:
    """The cases of a parametrized test; those that are not `chosen` are of the exhaustive tier.

    `chosen` is given the number of a case, from 0, and the case. With `spread`, each case is a
    tuple with a value for each of several names.
    """
    marks = pytest.mark.exhaustive
    return [
        case if chosen(number, case) else pytest.param(*(case if spread else (case,)), marks=marks)  # type: ignore[misc]
        for number, case in enumerate(cases)
    ]


def selected(request: pytest.FixtureRequest, name: str) -> list[Any]:
    """The values of the parameter `name` in the tests of this module that are about to run.

    For a fixture that prepares all cases at once: it need not prepare what nobody asks for.
    """
    found = [
        item.callspec.params[name]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.path == request.path
        and hasattr(item, "callspec")
        and name in item.callspec.params
    ]
    return list({id(value): value for value in found}.values())
