"""A healthy script does the same watched as unwatched (`tests/twins.py` says what is compared)."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from course.base import paths
from course.cli.environment.run_place import find_context
from course.judge.script_verdict import judge_script
from course.lesson import lesson
from course.runs.process import Job
from course.runs.record import RunRecord
from course.runs.run_context import RunContext
from tests import twins
from tests.tiers import sample
from tests.twins import MODES, Mode, Twin, TwinScript

FOLDER = Path(__file__).parent.parent
OWN = sorted((FOLDER / "twin").glob("*.py"))
BENCHMARKS = FOLDER.parent / "benchmarks" / "diagnosis"
HEALTHY = {
    "honest": FOLDER / "scripts" / "honest",
    "benchmark": BENCHMARKS / "scripts",
    "fourth": BENCHMARKS / "unseen" / "fourth" / "scripts",
}
"""The healthy scripts of the repository, beside those of the lessons."""


def _of_lessons() -> dict[str, TwinScript]:
    """Return the lessons' scripts without a bug, where they are PyTorch's."""
    parts = {name: lesson.load(name).parts.get("pt") for name in lesson.ids()}
    return {n: TwinScript("exercise.py", p.text(())) for n, p in parts.items() if p is not None}


SCRIPTS = {
    **{
        f"{name}-{path.stem}": TwinScript.read(path)
        for name, folder in HEALTHY.items()
        for path in sorted(folder.glob("*.py"))
    },
    **_of_lessons(),
    **{path.stem: TwinScript.read(path) for path in OWN},
}
COLD = frozenset(
    {"caught", "folds", "tensors_of_its_own", "hooks_that_count", "given_arguments", "warned"}
)
QUICK = frozenset({"folds", "ends_with_a_number"})
OF_THE_LIVE_TIER: dict[Mode, frozenset[str]] = {
    "cold": COLD,
    "warm": QUICK | {"lazy_and_meta", "other_precisions", "symbolically_traced", "warned_by_torch"},
    "standby": QUICK,
}
"""Scripts of the live tier."""
UNHEARD = frozenset({"ends_at_once", "ends_by_a_signal"})
"""Scripts whose end nobody hears of in a standby: only who has started a process is told how it
ended, and that was another `course` as a rule."""
IN_PROCESSES = frozenset({"ch3-4-accelerate"})
"""Scripts that train in several processes. The first one seeds nothing: PyTorch draws the seed of
its generator there. Which one prints first, and into whose progress bar, is chance."""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks")


FAULTY = {
    "caught": ["softmax-before-loss"],
    "symbolically_traced": ["dropout-in-evaluation"],
}
"""What some of `OWN` do on purpose, which is said of them; of the others nothing is."""


CASES = [(name, mode) for name in SCRIPTS for mode in MODES]


@pytest.fixture(scope="module")
def context() -> Iterator[RunContext]:
    """Find the embedded hub, and the warm runtime of the lessons."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in twins.FIXED.items():
            patch.setenv(name, value)
        yield find_context(lesson.load("ch3-2").parts["pt"], "embedded", quiet=True)


@pytest.fixture(scope="module")
def bare(
    context: RunContext, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Path, Twin]]:
    """Return the folder of a script, and what its bare run has shown: once for all modes."""
    home = tmp_path_factory.mktemp("twins")

    @cache
    def found(name: str) -> tuple[Path, Twin]:
        folder = home / name
        return folder, twins.run_bare(SCRIPTS[name], folder, context.hub)

    return found


@pytest.mark.parametrize(
    ("name", "mode"),
    sample(CASES, lambda _n, case: case[0] in OF_THE_LIVE_TIER[case[1]], spread=True),
)
def test_a_script_does_the_same_watched_as_unwatched(
    context: RunContext,
    bare: Callable[[str], tuple[Path, Twin]],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    mode: Mode,
) -> None:
    twin = SCRIPTS[name]
    folder, expected = bare(name)
    assert (expected.report is None) == twin.leaves_early, "\n".join(expected.printed[-30:])
    if mode == "cold":
        context = replace(context, warm=None)
    elif mode == "standby":
        monkeypatch.setenv("COURSE_WARM", "spare")
        if name in UNHEARD:
            expected = replace(expected, exit_code=None)
    shown, record = _watched(twin, folder, context, mode)
    if name in IN_PROCESSES:
        for each in (expected, shown):
            if each.report is not None:
                each.report["generators"].pop("torch", None)
        expected, shown = (replace(e, printed=sorted(set(e.printed))) for e in (expected, shown))
    found = twins.differences(expected, shown, mode)
    assert not found, "\n".join(found)
    assert not record.own_failures
    if name in {path.stem for path in OWN} and not twin.leaves_early:
        namings = judge_script(record, twin.source).namings
        assert [each.fault.id for each in namings if each.certain] == FAULTY.get(name, [])


def _watched(
    twin: TwinScript, folder: Path, context: RunContext, mode: Mode
) -> tuple[Twin, RunRecord]:
    """Run it in this mode; what is to be warm may have to be started first."""
    for _attempt in range(3):
        if mode == "standby":
            _await_spare(context)
        shown = twins.run_watched(twin, folder, context, warm=mode != "cold")
        if shown is not None:
            return shown
    raise AssertionError(f"no {mode} runtime could be had")


def _await_spare(context: RunContext) -> None:
    """Wait until an interpreter waits for a run."""
    deadline, is_asked = time.monotonic() + 120, False
    while not list(paths.private().glob("*.spare")):
        if not is_asked:
            # The first run starts one for the next.
            context.run(Job("pass"))
            is_asked = True
        assert time.monotonic() < deadline, "no interpreter waits"
        time.sleep(0.1)
