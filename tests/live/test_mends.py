"""Wrong mends that learners have tried, as their copies are judged: each has its fault's name.

They are the rows of the table in `benchmarks/mutants/table.py`, run with the lesson's seed.
"""

from pathlib import Path

import pytest

from course.judge.attempt import judge_attempt
from course.judge.verdict import should_stop
from course.lesson import lesson
from course.runs import hub
from course.runs.environment import runtime
from course.runs.process import Job
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm

pytestmark = pytest.mark.exhaustive
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
PARTS = {name: lesson.load(name).parts["pt"] for name in ("ch3-2", "ch3-3", "ch3-4", "ch8-4")}


def titles() -> list[tuple[str, str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        from mutants import table

        return [(row.lesson, row.title) for row in table.ROWS]


@pytest.fixture(scope="module")
def place() -> RunContext:
    imports = tuple(dict.fromkeys(name for part in PARTS.values() for name in part.imports))
    requires = tuple(dict.fromkeys(wish for part in PARTS.values() for wish in part.requires))
    found = runtime.find("pt", requires)
    return RunContext(found, hub.embedded(found), warm=Warm(found, imports))


@pytest.mark.parametrize(("name", "title"), titles())
def test_a_wrong_mend_has_its_name(
    name: str, title: str, place: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from mutants import table

    part = PARTS[name]
    (row,) = (row for row in table.ROWS if (row.lesson, row.title) == (name, title))
    text = row.mutant(part.text(())).text
    found = place.run(Job(text), enough=lambda record: should_stop(record, part.outcome))
    match = judge_attempt(part, (), found.record).verdict.match
    assert match is not None
    assert match.fault.id in row.expected
