from collections.abc import Iterator
from functools import cache

import pytest

from course.grading.engine import static_checks, text_evidence


@pytest.fixture(scope="module")
def read_once() -> Iterator[None]:
    """Look at each text once: a hundred tests have the same, and none changes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(text_evidence, "stands", cache(text_evidence.stands))
        patched.setattr(static_checks, "find", cache(static_checks.find))
        yield
