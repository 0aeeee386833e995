"""Each fault that raises is provoked on the frameworks that are installed, and named."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from course.lesson.catalogue import naming
from course.runs.record import RunRecord, parse
from tests import provoking
from tests.tiers import sample, selected

NAMES = [name for name in provoking.names() if not name.endswith(provoking.KERAS)]
Records = Callable[[str], RunRecord]


@pytest.fixture(scope="module")
def records(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Records:
    """Give the record of a script; all that are asked for have been run by one process."""
    folder = tmp_path_factory.mktemp("provoked")
    subprocess.run(
        [sys.executable, "-m", "tests.provoking", "--to", str(folder), *selected(request, "name")],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        check=True,
        timeout=600,
    )
    return lambda name: parse((folder / f"{name}.jsonl").read_text("utf-8").splitlines())


@pytest.mark.parametrize("name", sample(NAMES, lambda number, _name: number % 32 == 0))
def test_what_a_script_ends_with_is_named(name: str, records: Records) -> None:
    record = records(name)
    found = [match.fault.id for match in naming(record)]
    assert record.status == "exception", record
    assert found[:1] == [name.partition(".")[0]], found
