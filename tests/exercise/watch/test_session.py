"""Whole watches of real files, with real runs of scripts that need no framework."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
import watchfiles  # noqa: F401 - loaded beforehand, so that a watch is up soon

from course.exercise import progress
from course.exercise import working_copy as copies
from course.exercise.practice import Practice
from course.exercise.watch import file_watcher
from course.exercise.watch.session import WatchSession
from course.exercise.watch.state import AGAIN, BESIDE, CHANGED, KeyPress, State
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub
from course.runs.run_context import RunContext
from tests.exercise.watch.made import PART
from tests.runs.conftest import gone, interrupt_once, noted_in, sleeper, wait_for

pytestmark = pytest.mark.live

METRIC = """
class Logits:
    def argmax(self, axis):
        return 0

class Metric:
    def compute(self, predictions, references):
        if isinstance(predictions, Logits):
            raise TypeError("only length-1 arrays can be converted to Python scalars")
        return predictions

def load(*names):
    return Metric()
"""
"""A module `evaluate` that fails as the real one does."""
BITES = """
import evaluate
metric = evaluate.load("glue", "mnli")
logits, labels = evaluate.Logits(), []
print(metric.compute(predictions=logits, references=labels))
"""
MENDED = BITES.replace("=logits,", "=logits.argmax(axis=-1),")


class Watching:
    """A working copy, and a session that watches it in a thread of its own."""

    def __init__(self, path: Path, place: RunContext) -> None:
        self.path = path
        self.header = path.read_text("utf-8").splitlines(keepends=True)[0]
        self.states: list[State] = []
        self.error: BaseException | None = None
        self.last: State | None = None
        self.session = WatchSession(path, place, self.states.append)
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self.last = self.session.run()
        except Exception as error:
            self.error = error

    def save(self, script: str) -> None:
        self.path.write_text(self.header + script, "utf-8")

    def begin(self, script: str) -> None:
        self.save(script)
        self.thread.start()

    def press(self, names: str) -> None:
        for name in names:
            self.session.post(KeyPress(name))

    def until(self, condition: Callable[[State], object]) -> State:
        """Wait for the first state drawn from now on of which this holds."""
        number = max(0, len(self.states) - 1)
        found: list[State] = []

        def seen() -> bool:
            found[:] = [state for state in self.states[number:] if condition(state)]
            return bool(found) or not self.thread.is_alive()

        wait_for(seen, 20)
        assert found, self.error
        return found[0]

    def verdict(self, number: int) -> State:
        """Wait for the state once the run of this number has come to its end."""
        return self.until(lambda s: s.number == number and not s.running and not s.stale)

    def quit(self) -> State:
        self.press("q")
        self.thread.join(10)
        assert not self.thread.is_alive()
        assert self.last is not None, self.error
        return self.last


@pytest.fixture(autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_STATE", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def place(bare: Runtime) -> RunContext:
    return RunContext(bare, Hub("embedded", {}))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return copies.start(PART, PART.bugs, tmp_path / "упражнение 练习")


@pytest.fixture
def watching(path: Path, place: RunContext) -> Iterator[Watching]:
    watching = Watching(path, place)
    before = set(threading.enumerate())
    yield watching
    if watching.thread.is_alive():
        watching.quit()
    assert set(threading.enumerate()) <= before


def done(state: State) -> Practice:
    assert state.done is not None
    return state.done


def problem(state: State) -> str | None:
    return done(state).attempt.verdict.problem


def known(path: Path) -> progress.Progress:
    return progress.of(copies.read(path))


def test_each_save_has_its_verdict(watching: Watching) -> None:
    watching.begin("raise KeyError('k')\n")
    first = watching.verdict(1)
    assert problem(first) == "unknown"
    assert done(first).attempt.new
    watching.save("print('hello')\n")
    second = watching.verdict(2)
    assert problem(second) == "no-training"
    assert done(second).run.output == "hello\n"
    watching.save("x = (\n")
    third = watching.verdict(3)
    raised = done(third).attempt.verdict.raised
    assert raised is not None
    assert raised.name == "SyntaxError"
    watching.save("np.array(1)\n")
    fourth = watching.verdict(4)
    assert done(fourth).attempt.verdict.step == "missing-import"
    assert known(watching.path).runs == 4
    assert watching.quit().number == 4


def test_a_run_is_told_of_while_it_goes_on(watching: Watching, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    watching.begin(sleeper(noted))
    state = watching.until(lambda s: s.line is not None and s.line["line"] == 4)
    assert state.running
    assert state.line is not None
    assert state.line["text"] == "time.sleep(600)"
    drawn = len(watching.states)
    # The clock goes on although nothing happens.
    wait_for(lambda: len(watching.states) > drawn + 1)


def test_a_newer_save_ends_the_run_of_the_older_text(watching: Watching, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    watching.begin(sleeper(noted))
    noted_in(noted)
    watching.save("print('newer')\n")
    state = watching.verdict(2)
    assert gone(noted)
    assert done(state).run.output == "newer\n"
    # What was cancelled leaves no trace.
    assert known(watching.path).runs == 1


def test_quit_ends_the_run_under_way(watching: Watching, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    watching.begin(sleeper(noted))
    noted_in(noted)
    state = watching.quit()
    assert gone(noted)
    assert (state.done, state.running) == (None, False)
    assert known(watching.path).runs == 0


def test_an_interrupt_ends_the_run_under_way(path: Path, place: RunContext, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    path.write_text(path.read_text("utf-8").splitlines(keepends=True)[0] + sleeper(noted), "utf-8")
    before = set(threading.enumerate())

    interrupt_once(noted)
    with pytest.raises(KeyboardInterrupt):
        WatchSession(path, place, lambda state: None).run()
    assert gone(noted)
    assert set(threading.enumerate()) <= before


def test_an_error_in_a_thread_ends_the_watch(path: Path, place: RunContext) -> None:
    nowhere = replace(place, runtime=Runtime("pt", "/no/such/python", {}))
    watching = Watching(path, nowhere)
    before = set(threading.enumerate())
    watching.begin("pass\n")
    watching.thread.join(10)
    assert isinstance(watching.error, FileNotFoundError)
    assert watching.error.filename == "/no/such/python"
    assert set(threading.enumerate()) <= before


def test_a_file_that_goes_and_comes_back(watching: Watching, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    watching.begin(sleeper(noted))
    noted_in(noted)
    text = watching.path.read_bytes()
    watching.path.unlink()
    state = watching.until(lambda s: s.trouble)
    assert state.trouble == f"There is no file `{watching.path}`."
    assert gone(noted)
    watching.path.write_bytes(text)
    assert watching.until(lambda s: s.running).number == 2
    watching.path.write_bytes(b"\xff\xfe")
    assert "is not in UTF-8" in watching.until(lambda s: s.trouble).trouble
    # The page of the copy says what it is, though its first line is gone.
    watching.path.write_text("print()\n")
    assert problem(watching.verdict(3)) == "no-training"


def test_hints_are_kept(watching: Watching) -> None:
    watching.begin("np.array(1)\n")
    watching.verdict(1)
    watching.press("hh")
    state = watching.until(lambda s: len(s.hints) > 1)
    assert [h.level for h in state.hints] == [1, 2]
    assert known(watching.path).hints == {"missing-import": 2}
    watching.press("к")
    watching.verdict(2)
    assert known(watching.path).runs == 2
    watching.press("h")
    assert len(watching.until(lambda s: s.hints).hints) == 2


@pytest.fixture
def bitten(watching: Watching) -> Watching:
    """Watch a script in which a bug of the exercise bites."""
    watching.path.with_name("evaluate.py").write_text(METRIC)
    watching.begin(BITES)
    state = watching.verdict(1)
    assert done(state).attempt.bug == PART.bugs[3]
    return watching


def test_a_fix_is_written_and_runs(bitten: Watching) -> None:
    bitten.press("f")
    assert bitten.until(lambda s: s.fix).note == AGAIN.format(command="`n`")
    assert bitten.path.read_text("utf-8") == bitten.header + BITES
    bitten.press("n")
    state = bitten.verdict(2)
    assert bitten.path.read_text("utf-8") == bitten.header + MENDED
    assert problem(state) == "no-training"
    assert done(state).run.output == "0\n"


def test_a_fix_of_a_text_that_has_changed_meanwhile_is_refused(bitten: Watching) -> None:
    bitten.press("f")
    bitten.until(lambda s: s.fix)
    # Of the same length and as old as it was: nobody has told the watch of this yet.
    before = bitten.path.stat()
    newer = BITES.replace('"glue"', '"GLUE"')
    with bitten.path.open("r+", encoding="utf-8") as stream:
        stream.write(bitten.header + newer)
        stream.flush()
        os.utime(stream.fileno(), ns=(before.st_atime_ns, before.st_mtime_ns))
    bitten.press("n")
    bitten.until(lambda s: s.note == CHANGED)
    assert bitten.path.read_text("utf-8") == bitten.header + newer
    assert len(list(bitten.path.parent.glob("*.py"))) == 2


def test_a_fix_of_a_file_that_is_gone_is_refused(bitten: Watching) -> None:
    bitten.press("f")
    bitten.until(lambda s: s.fix)
    bitten.path.unlink()
    # The watch gives an editor some time to put it back.
    bitten.press("n")
    state = bitten.until(lambda s: s.note not in ("", AGAIN.format(command="`n`")))
    assert state.note == f"There is no file `{bitten.path}`."
    assert not bitten.path.exists()
    bitten.until(lambda s: s.trouble)


def test_a_fix_that_cannot_be_written_is_told(path: Path, place: RunContext) -> None:
    """Beside a file of so long a name there is none for the new text."""
    named = path.rename(path.with_name("x" * 250 + ".py"))
    watching = Watching(named, place)
    named.with_name("evaluate.py").write_text(METRIC)
    watching.begin(BITES)
    watching.verdict(1)
    watching.press("fn")
    asked = AGAIN.format(command="`n`"), BESIDE.format(command="`m`")
    state = watching.until(lambda s: s.note not in ("", *asked))
    assert state.note == f"`{named.name}` cannot be written: File name too long."
    assert named.read_text("utf-8") == watching.header + BITES
    watching.quit()


def test_many_saves_end_in_the_verdict_about_the_last(watching: Watching) -> None:
    watching.begin("print(0)\n")
    for i in range(1, 20):
        watching.save(f"print({i})\n")
        time.sleep(0.02)
    last = copies.read(watching.path).text
    state = watching.until(lambda s: not s.stale and s.copy is not None and s.copy.text == last)
    assert done(state).run.output == "19\n"
    runs = state.number
    time.sleep(file_watcher.QUIET / 1000)
    with suppress(AssertionError):
        wait_for(lambda: watching.states[-1].number > runs, 0.2)
    assert watching.quit().number == runs
