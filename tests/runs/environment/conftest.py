"""The framework in miniature, with nothing installed."""

from pathlib import Path

import pytest

from course.base import paths
from tests.runs.environment.toy import Toy


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    """Make the framework, and let it be the only one that there is."""
    made = Toy(tmp_path).make()
    monkeypatch.setattr(paths, "lessons", lambda: made.lessons)
    monkeypatch.setenv("COURSE_RUNTIMES", str(made.runtimes))
    return made
