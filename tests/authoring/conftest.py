from collections.abc import Iterator
from pathlib import Path

import pytest

from course.lesson import catalogue
from tests.authoring import made


@pytest.fixture
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    yield made.lessons(tmp_path, monkeypatch)
    catalogue.catalogue.cache_clear()
