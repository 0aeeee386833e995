"""A watch of a pair: a save of either is seen, both are in step, and each text runs once."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import watchfiles  # noqa: F401 - loaded beforehand, so that a watch is up soon

from course.exercise.header import Header
from course.ipynb import generated, pairing
from course.lesson import lesson
from course.notebook import merge, pair, sync  # noqa: F401 - as above
from course.notebook.pair import Pair
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub
from course.runs.run_context import RunContext
from course.watch.session import WatchSession
from course.watch.state import KeyPress, State
from tests.ipynb.written import PYTHON, code, notebook
from tests.runs.conftest import wait_for

pytestmark = pytest.mark.live

PART = lesson.load("ch8-4").parts["pt"]
HEADER = Header(PART.lesson, PART.framework, tuple(b.fault for b in PART.bugs), "en").line().strip()
QUIET = 1.5
"""Seconds in which another run would begin."""


class Watching:
    """A session in a thread of its own, and the states that it has drawn."""

    def __init__(self, both: Pair, place: RunContext) -> None:
        self.states: list[State] = []
        self.session = WatchSession(both.notebook, place, self.states.append)
        self.thread = threading.Thread(target=self.session.run)
        self.thread.start()

    def output(self, number: int) -> str:
        """What the run of this number has written, once no other follows it."""

        def over() -> bool:
            last = self.states[-1] if self.states else State()
            return last.number >= number and not last.running and last.done is not None

        wait_for(over, 20)
        time.sleep(QUIET)
        last = self.states[-1]
        assert last.number == number
        assert last.done is not None
        return last.done.run.output

    def trouble(self) -> str:
        wait_for(lambda: bool(self.states and self.states[-1].trouble), 20)
        return self.states[-1].trouble


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "state"))
    made = [
        code(HEADER, id="h", metadata=generated.mark("setup", HEADER)),
        code("print('one')", id="c"),
    ]
    metadata = {**PYTHON, "jupytext": pairing.metadata(pairing.FORM)}
    path = tmp_path / "курс" / "x.ipynb"
    path.parent.mkdir()
    path.write_text(notebook(*made, metadata=metadata), "utf-8")
    found = pair.of(path)
    assert found is not None
    sync.sync(found)
    return found


@pytest.fixture
def watching(both: Pair, bare: Runtime) -> Iterator[Watching]:
    watching = Watching(both, RunContext(bare, Hub("embedded", {})))
    yield watching
    watching.session.post(KeyPress("q"))
    watching.thread.join(10)
    assert not watching.thread.is_alive()


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_a_save_of_either_runs_once_and_comes_into_the_other(
    both: Pair, watching: Watching
) -> None:
    assert watching.output(1) == "one\n"
    edit(both.script, "one", "two")
    assert watching.output(2) == "two\n"
    assert "two" in both.notebook.read_text("utf-8")
    edit(both.notebook, "two", "three")
    assert watching.output(3) == "three\n"
    assert "three" in both.script.read_text("utf-8")


def test_an_editor_that_saves_both_is_not_come_between(both: Pair, watching: Watching) -> None:
    """As JupyterLab with jupytext: first the notebook, then the script."""
    assert watching.output(1) == "one\n"
    edit(both.notebook, "one", "two")
    time.sleep(0.1)
    edit(both.script, "one", "two")
    saved = both.notebook.stat(), both.script.stat()
    assert watching.output(2) == "two\n"
    now = both.notebook.stat(), both.script.stat()
    assert [s.st_mtime_ns for s in now] == [s.st_mtime_ns for s in saved]


def test_a_conflict_is_shown_and_goes_on_once_it_is_settled(both: Pair, watching: Watching) -> None:
    assert watching.output(1) == "one\n"
    edit(both.notebook, "one", "two")
    edit(both.script, "one", "three")
    before = both.notebook.read_bytes(), both.script.read_bytes()
    assert "--keep" in watching.trouble()
    assert (both.notebook.read_bytes(), both.script.read_bytes()) == before
    sync.sync(both, "py")
    assert watching.output(2) == "three\n"


def test_a_script_that_goes_is_not_missed(both: Pair, watching: Watching) -> None:
    assert watching.output(1) == "one\n"
    both.script.unlink()
    edit(both.notebook, "one", "two")
    assert watching.output(2) == "two\n"
    assert not both.script.exists()
    document = json.loads(both.notebook.read_text("utf-8"))
    assert [c["id"] for c in document["cells"]] == ["h", "c"]
