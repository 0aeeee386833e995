"""The live tier: real frameworks, real processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from course.cli.environment.run_place import find_context
from course.lesson import lesson
from course.runs.run_context import RunContext
from tests.command import course


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.live)


@pytest.fixture(scope="session", autouse=True)
def stopped() -> Iterator[None]:
    """Stop the warm runtimes, which the whole tier shares, at its end."""
    yield
    course("runtime", "stop")


@pytest.fixture(scope="session")
def context() -> RunContext:
    """Find the warm runtime of the lessons, for scripts of no lesson."""
    return find_context(lesson.load("ch3-2").parts["pt"], "embedded", quiet=True)
