"""`course watch`, up to the point where a framework is needed."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from course.base.errors import UserError
from course.cli.stage import watch
from course.exercise import working_copy as copies
from tests.cli.refusals import refused
from tests.command import CLEAN, ROOT
from tests.exercise.watch.made import PART
from tests.runs.conftest import gone, noted_in, sleeper, wait_for
from tests.runs.environment.test_runtime import library

pytestmark = pytest.mark.live


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return copies.start(PART, PART.bugs, tmp_path)


@pytest.fixture
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Make folders of this test's own, also as variables for a process."""
    runtime = tempfile.mkdtemp()
    variables = {"COURSE_CACHE": str(tmp_path / "cache"), "XDG_RUNTIME_DIR": runtime}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    yield variables
    shutil.rmtree(runtime)


@pytest.fixture
def libraries(tmp_path: Path) -> str:
    """Make a folder in which the framework's libraries seem to be installed."""
    for name in ("torch", "transformers", "datasets", "evaluate", "accelerate", "scikit_learn"):
        library(tmp_path / "libraries", "9", name)
    return str(tmp_path / "libraries")


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_second_watch_says_one_sentence_and_leaves(
    path: Path, apart: dict[str, str], libraries: str, lang: str
) -> None:
    arguments = ("watch", str(path), "--hub", "online", "--cold", "--lang", lang)
    with watch._alone(path):
        variables = {**apart, "PYTHONPATH": os.pathsep.join([libraries, str(ROOT)])}
        told = refused(*arguments, timeout=60, **variables)
    assert f"`{path.name}`" in told
    assert "`course watch`" in told
    assert ("Another" in told) == (lang == "en")
    # Afterwards there is room for another one.
    with watch._alone(path):
        pass


@pytest.mark.usefixtures("apart")
def test_a_file_is_watched_once_under_whatever_name(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.py"
    link.symlink_to(path)
    for name in (link, path.parent / "." / "x" / ".." / path.name, path):
        said = pytest.raises(UserError, match="Another `course watch`")
        with watch._alone(path), said, watch._alone(name):
            pass


WATCH = """
import sys
from pathlib import Path
from course import cli
from course.cli.stage import watch
from course.cli.terminal import consoles
from course.runs.hub import Hub
from course.runs.run_context import RunContext
from course.runs.environment.runtime import Runtime

def dispatch(arguments):
    path = Path(arguments[0])
    context = RunContext(Runtime("pt", sys.executable, {}), Hub("embedded"))
    shows = sys.stdin.isatty()
    if shows:
        last = watch._on_screen(consoles.out(), path, context, guesses=False)
    else:
        last = watch._in_lines(path, context)
    print("ended after", last.number)
    return 0

cli._dispatch = dispatch
cli.main()
"""
"""What `course watch` does once it has found its framework, less the framework."""


@pytest.fixture
def save(path: Path) -> Callable[[str], int]:
    """Save a script as the working copy."""
    header = path.read_text("utf-8").splitlines(keepends=True)[0]
    return lambda script: path.write_text(header + script, "utf-8")


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    own = {"COURSE_STATE": str(tmp_path / "state"), "COURSE_CACHE": str(tmp_path / "cache")}
    return {**CLEAN, **own, "TERM": "xterm-256color"}


def test_without_a_terminal_each_verdict_comes_once(
    path: Path, save: Callable[[str], int], variables: dict[str, str], tmp_path: Path
) -> None:
    out, err, noted = (tmp_path / name for name in ("out", "err", "pid"))
    save("raise KeyError('first')\n")
    with out.open("w") as said, err.open("w") as told:
        process = subprocess.Popen(
            [sys.executable, "-c", WATCH, str(path)],
            stdin=subprocess.DEVNULL, stdout=said, stderr=told, cwd=ROOT, env=variables,
        )  # fmt: skip
    wait_for(lambda: "`course hint` helps" in out.read_text())
    save(sleeper(noted))
    noted_in(noted)
    # The file goes while its text runs: what an older text showed is no news.
    path.unlink()
    wait_for(lambda: "There is no file" in err.read_text())
    assert gone(noted)
    save("raise KeyError('second')\n")
    wait_for(lambda: out.read_text().count("`course hint` helps") > 1)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    text = out.read_text()
    assert [text.count(f"KeyError: '{name}'") for name in ("first", "second")] == [1, 1]
    assert text.index("first") < text.index("second")
    assert "\x1b" not in text
    assert err.read_text().count("There is no file") == 1


@pytest.fixture
def screen(path: Path, save: Callable[[str], int], variables: dict[str, str]) -> Iterator[Any]:
    """Start a watch on a terminal, of a script that fails."""
    pexpect = pytest.importorskip("pexpect", reason="terminals of this kind are POSIX's")
    save("np.array(1)\n")
    screen = pexpect.spawn(
        sys.executable, ["-c", WATCH, str(path)],
        cwd=str(ROOT), env=variables, encoding="utf-8", dimensions=(24, 80), timeout=10,
    )  # fmt: skip
    screen.expect("The script has a fault")
    yield screen
    screen.close(force=True)


def test_on_a_terminal_keys_are_answered_and_saves_are_seen(
    screen: Any, save: Callable[[str], int]
) -> None:
    screen.send("h")
    screen.expect("Hint 1: Where to look")
    screen.send("р")
    screen.expect("Hint 2: What it means")
    save("print('newer')\n")
    screen.expect("ended without training")
    screen.send("q")
    screen.expect("ended after 2")
    assert screen.wait() == 0


def test_a_terminal_that_is_closed_ends_the_watch(
    screen: Any, save: Callable[[str], int], tmp_path: Path
) -> None:
    noted = tmp_path / "pid"
    save(sleeper(noted))
    noted_in(noted)
    screen.close(force=False)
    assert not screen.isalive()
    assert gone(noted)
    # It is no mistake of ours that would be worth a log.
    assert not (tmp_path / "cache" / "logs").exists()
