import gc
import getpass
import gettext
import os
import shutil
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from course.base import i18n
from course.runs.environment.runtime import Runtime
from tests import tiers

# Without a place of their own, tests would write into the developer's progress.
os.environ["COURSE_STATE"] = STATE = tempfile.mkdtemp(prefix="course-state-")
# Nor may lessons of the developer's be among those that ship.
os.environ.pop("COURSE_LESSONS", None)
# Nor may what they find depend on what the developer has installed, or named.
USER = getattr(os, "getuid", getpass.getuser)()  # Windows has no numbers for users.
os.environ.setdefault(
    "COURSE_RUNTIMES", os.path.join(tempfile.gettempdir(), f"course-tests-{USER}-runtimes")
)
if "PYTEST_XDIST_WORKER" in os.environ and "COURSE_CACHE" in os.environ:
    os.environ["COURSE_CACHE"] += f"-{os.environ['PYTEST_XDIST_WORKER']}"
# jsonschema would build a grammar of addresses in each process; no schema of ours has one.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
RECORDS = Path(__file__).parent / "records"

# A shell without job control starts what runs in its background with Ctrl-C ignored, and so would
# every process that a test starts from there.
signal.signal(signal.SIGINT, signal.default_int_handler)

# On a busy machine an example may take any time.
settings.register_profile("course", deadline=None)
settings.load_profile("course")

# fmt: off
LONGEST = (
    # The walk imports PyTorch outside of any sandbox, so that what is compiled is kept.
    "test_keras", "test_walk", "test_class", "test_attacks", "test_browser", "test_class_lessons",
    "test_twin", "test_install", "test_site", "test_notebook", "test_loop", "test_report_browser",
    "test_own_script", "test_trouble", "test_jupyterlab", "test_practice", "test_session",
)
# fmt: on
"""Live tests that take minutes: where two processes share the files, these must not come last."""


def pytest_unconfigure() -> None:
    shutil.rmtree(STATE, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(LONGEST)))
    fast = defaultdict(list)
    for item in items:
        if item.get_closest_marker("exhaustive"):
            item.add_marker("live")
        elif not item.get_closest_marker("live"):
            fast[item.nodeid.partition("[")[0]].append(item)
    for cases in fast.values():
        chosen = set(tiers.spread(cases))
        for item in cases:
            if item not in chosen:
                item.add_marker("live")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    # The fast tier does not even read the live tests: some import a framework.
    is_live = collection_path == Path(__file__).parent / "live"
    return True if is_live and config.getoption("markexpr") == "not live" else None


def pytest_collection_finish() -> None:
    # Some ten thousand tests are objects that every full collection would go through.
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Each test begins, and leaves the next one, in the source language."""
    i18n.activate(i18n.SOURCE)
    yield
    i18n.activate(i18n.SOURCE)


@pytest.fixture
def tmp_path(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder in memory where the system has one: a gradebook waits for the disk at each line."""
    memory = Path("/dev/shm")
    is_slow = request.node.get_closest_marker("live") or "grading" not in request.path.parts
    if is_slow or not memory.is_dir() or shutil.disk_usage(memory).free < 2**30:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def bare() -> Runtime:
    """This interpreter, for scripts that need no framework."""
    return Runtime("pt", sys.executable, {})


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The system's Chromium, for the pages of a module."""
    from tests.subtitles.browser.chromium import browser

    with browser() as found:
        yield found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> set[object]:
    """All that is asked of the translators from now on, in whatever language."""
    found: set[object] = set()

    class Recorder(gettext.NullTranslations):
        def gettext(self, message: str) -> str:
            found.add(message)
            return message

        def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
            found.add((msgid1, msgid2))
            return msgid1

    monkeypatch.setattr(i18n, "_translations", lambda name: Recorder())
    i18n.activate(i18n.SOURCE)
    return found
