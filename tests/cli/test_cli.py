"""Every command as a new user would try it, up to the point where a framework is needed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from course import __version__
from tests.command import CLEAN, ROOT, course, python
from tests.runs.environment.test_runtime import library

pytestmark = pytest.mark.live


def test_the_version_is_that_of_the_package() -> None:
    assert course("--version").stdout == f"{__version__}\n"


@pytest.mark.parametrize(
    "command",
    [(), ("list",), ("run",), ("env",), ("dev",), ("dev", "check"), ("runtime", "install")],
)
def test_help_has_examples_and_fits_80_columns(command: tuple[str, ...]) -> None:
    done = course(*command, "--help", COLUMNS="80")
    assert done.returncode == 0
    assert "course" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_help_of_all_ends_in_the_language_asked_for() -> None:
    shown = course("--help", "--lang", "zh").stdout
    assert "先试试 `course run ch8-4`" in shown
    assert "Begin" not in shown


def test_an_error_is_in_the_language_asked_for() -> None:
    assert "没有" in course("run", "ch8-4", "--step", "x", "--lang", "zh").stderr
    assert "Нет" in course("--lang=ru", "run", "ch8-5").stderr
    assert "没有" in course("run", "ch8-5", COURSE_LANG="zh").stderr
    assert "Нет" in course("run", "ch8-5", LC_ALL="ru_RU.UTF-8").stderr
    assert "不接受" in course("--lang", "xx", "list", COURSE_LANG="zh").stderr


def test_list_is_json_when_asked() -> None:
    done = course("list", "--json", "--lang", "ru")
    lessons = {lesson["lesson"]: lesson for lesson in json.loads(done.stdout)["lessons"]}
    assert lessons.keys() >= {"ch3-2", "ch3-3", "ch3-4", "ch8-4"}
    assert lessons["ch8-4"]["frameworks"]["pt"]["steps"][-1] == "healthy"
    assert done.stderr == ""


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_list_fits_80_columns(lang: str, tmp_path: Path) -> None:
    from rich.cells import cell_len

    # The path of a working copy stays in one piece, and other tests leave some.
    done = course("list", "--lang", lang, COLUMNS="80", COURSE_STATE=str(tmp_path))
    assert max(map(cell_len, done.stdout.splitlines())) <= 80


def test_no_color_and_pipes_carry_no_escape_codes() -> None:
    assert "\x1b" not in course("list").stdout
    assert "\x1b" not in course("list", NO_COLOR="1").stdout
    assert "\x1b" not in course("run", "--help", NO_COLOR="1").stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1251", "gbk"])
@pytest.mark.parametrize("lang", ["zh", "ru"])
def test_an_encoding_that_lacks_the_language_is_told(lang: str, encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "course", "list", "--lang", lang],
        cwd=ROOT,
        env={**CLEAN, "PYTHONIOENCODING": encoding},
        capture_output=True,
    )
    assert done.returncode == 0
    shown = done.stdout.decode(encoding)
    if (lang, encoding) in {("zh", "gbk"), ("ru", "cp1251"), ("ru", "gbk")}:
        assert done.stderr == b""
        assert "?" not in shown
    else:
        assert b"PYTHONIOENCODING" in done.stderr
        assert "Debugging the training pipeline" in shown


def test_a_pipe_that_closes_early_is_no_error() -> None:
    script = "set -o pipefail; {0} -m course run --help | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", script.format(sys.executable)],
        cwd=ROOT, env=CLEAN, capture_output=True, text=True,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_missing_framework_is_named_with_the_command_that_brings_it(tmp_path: Path) -> None:
    """Run in an environment that has only what `course` itself needs, over our own files."""
    done = in_a_poor_environment(tmp_path, "run", "ch8-4")
    assert done.returncode == 2
    assert "`torch>=2.4`" in done.stderr
    # It has no pip either.
    assert f'uv pip install --python {sys.executable} "torch>=2.4" "transf' in done.stderr
    assert len(done.stderr.splitlines()) == 1


def in_a_poor_environment(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command where only `folder` and what the command line needs can be imported."""
    import click

    site = Path(click.__file__).parent.parent
    needed = {"rich", "click", "packaging", "platformdirs", "pygments", "markdown_it", "mdurl"}
    for name in needed:
        if (site / name).exists():
            (folder / name).symlink_to(site / name)
    path = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-S", "-m", "course", *arguments],
        cwd=folder, env={**CLEAN, "PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip


def test_our_own_mistake_leaves_a_log_and_status_3(tmp_path: Path) -> None:
    broken = (
        "import sys; from course.lesson import lesson; lesson.folders = lambda: 1 / 0;"
        "from course.cli import main; sys.argv = ['course', 'list']; main()"
    )
    done = python("-c", broken, COURSE_CACHE=str(tmp_path))
    assert done.returncode == 3
    (log,) = (tmp_path / "logs").iterdir()
    assert str(log) in done.stderr.replace("\n", "")
    assert "ZeroDivisionError" in log.read_text()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["explain", "cublas"]])
def test_what_is_to_answer_at_once_loads_nothing_heavy(
    arguments: list[str], tmp_path: Path
) -> None:
    # A catalogue that no run has compiled yet would be compiled by Babel: English has none.
    plain = {"COURSE_LANG": "en", "COURSE_CACHE": str(tmp_path)}
    done = python("-X", "importtime", "-m", "course", *arguments, **plain)
    assert done.returncode == 0
    loaded = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if "|" in line}
    assert {"click", "course.cli"} <= loaded
    heavy = {"torch", "transformers", "datasets", "evaluate", "tensorflow", "babel", "numpy"}
    heavy |= {"requests", "httpx", "aiohttp", "huggingface_hub", "accelerate", "pandas"}
    assert not {name for name in loaded if name.split(".")[0] in heavy}
    # No package is installed that brings lessons, and nothing went wrong.
    assert loaded.isdisjoint({"importlib.metadata", "course.base.log", "logging.handlers"})
    assert not (tmp_path / "logs").exists()


def test_the_real_hub_asks_for_what_its_own_code_needs(tmp_path: Path) -> None:
    for name in ("torch", "transformers", "datasets", "evaluate", "accelerate"):
        library(tmp_path, "9", name)
    done = in_a_poor_environment(tmp_path, "run", "ch8-4", "--hub", "online")
    assert done.returncode == 2
    assert "`scikit-learn>=1.3` is not installed: run " in done.stderr
