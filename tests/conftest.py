import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from course import i18n
from course.run.runtime import Runtime

# Without a place of their own, tests would write into the developer's progress.
os.environ["COURSE_STATE"] = STATE = tempfile.mkdtemp(prefix="course-state-")
# Nor may what they find depend on what the developer has installed, or named.
os.environ.setdefault(
    "COURSE_RUNTIMES", os.path.join(tempfile.gettempdir(), f"course-tests-{os.getuid()}-runtimes")
)
RECORDS = Path(__file__).parent / "records"

# A shell without job control starts what runs in its background with Ctrl-C ignored, and so would
# every process that a test starts from there.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Each test begins, and leaves the next one, in the source language."""
    i18n.activate(i18n.SOURCE)
    yield
    i18n.activate(i18n.SOURCE)


@pytest.fixture
def bare() -> Runtime:
    """This interpreter, for scripts that need no framework."""
    return Runtime("pt", sys.executable, {})
