"""Environments that are really made, with a real pip, of wheels of a few hundred bytes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from course import paths
from course.errors import UserError
from course.run.environment import install, interpreter, pip, runtime, status
from course.run.environment.install import Phase
from course.run.environment.interpreter import Interpreter
from course.run.environment.pip import Supply
from course.run.environment.runtime import COMPLETE, Missing, find
from tests.run.conftest import wait_for
from tests.run.environment.toy import Toy, wheel
from tests.tiers import exhaustive

REQUIRES = ("sentence>=1.0,<2", "datasets>=1")
PYTHON = Interpreter("/usr/bin/python3", "/usr/bin/python3", (3, 12, 1), True, True, ())
live = pytest.mark.live  # each environment takes some seconds


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    made = Toy(tmp_path).make()
    monkeypatch.setattr(paths, "lessons", lambda: made.lessons)
    monkeypatch.setenv("COURSE_RUNTIMES", str(made.runtimes))
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in [name for name in os.environ if name.startswith("PIP_") and name[4:] != "CERT"]:
        if name != "PIP_CONFIG_FILE":
            monkeypatch.delenv(name)
    return made


def nothing_is_left(toy: Toy) -> bool:
    left = {path.name for path in toy.runtimes.iterdir()} if toy.runtimes.exists() else set()
    return left <= {"toy.lock"} and not toy.workers()


# Made, and used


@live
def test_an_environment_is_made_whole_and_used(toy: Toy) -> None:
    told: list[Phase] = []
    made, new = install.install(
        "toy", supply=toy.supply, tell=lambda phase, done, total: told.append(phase)
    )
    assert new
    assert list(dict.fromkeys(told)) == ["preparing", "downloading", "installing", "checking"]
    found = find("toy", REQUIRES)
    assert found.versions["sentence"] == "1.5"
    done = subprocess.run(
        [found.python, "-c", "import sentence; print(sentence.__cached__)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    # Compiled beforehand: the first run need not.
    assert Path(done.stdout.strip()).is_file()
    assert {path.name for path in toy.installed.iterdir()} == {"env", COMPLETE}
    assert made.size
    assert made.size > 10**6
    assert not list((paths.cache() / "logs").iterdir())
    state = status.examine("toy", REQUIRES)
    assert (state.word, state.source, state.size) == ("ok", "installed", made.size)
    assert install.install("toy") == (made, False)
    # A library that was taken away: not whole, and made anew.
    shutil.rmtree(next(Path(found.site[0]).glob("sentence-*")))
    assert status.examine("toy", REQUIRES).word == "broken"
    again, new = install.install("toy", supply=toy.supply)
    assert new
    # Another list: the old environment stays while it is in use, and goes after that.
    user = subprocess.Popen([again.python, "-c", "import time; time.sleep(600)"])
    try:
        toy.lines.append(wheel(toy.wheels, "more", "1"))
        toy.write()
        newer, new = install.install("toy", supply=toy.supply)
        assert new
        assert again.folder is not None
        assert again.folder.is_dir()
        with pytest.raises(UserError, match="is in use: end what runs in it"):
            install.remove("toy")
    finally:
        user.kill()
        user.wait()
    assert install.install("toy") == (newer, False)
    assert not again.folder.exists()
    install.remove("toy")
    assert nothing_is_left(toy)


@live
def test_settings_for_other_installs_do_no_harm(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    astray = tmp_path / "astray"
    astray.mkdir()
    (astray / "sitecustomize.py").write_text("raise SystemExit(9)\n")
    (astray / "sentence.py").write_text("raise SystemExit(9)\n")
    (astray / "pip.conf").write_text(f"[install]\nuser = yes\ntarget = {astray / 'target'}\n")
    for name, value in {
        "PYTHONPATH": str(astray),
        "PYTHONHOME": str(astray),
        "PIP_CONFIG_FILE": str(astray / "pip.conf"),
        "PIP_USER": "1",
        "PIP_TARGET": str(astray / "target"),
        "PIP_PREFIX": str(astray / "prefix"),
        "PIP_REQUIRE_VIRTUALENV": "1",
        "PIP_CONSTRAINT": str(astray / "none.txt"),
        "PIP_REQUIREMENT": str(astray / "none.txt"),
        "PIP_NO_BINARY": ":all:",
        "PIP_PLATFORM": "win_amd64",
        "PIP_QUIET": "3",
        # And these do hold.
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(toy.wheels),
    }.items():
        monkeypatch.setenv(name, value)
    _made, new = install.install("toy")
    assert new
    assert {path.name for path in astray.iterdir()} == {
        "sitecustomize.py", "sentence.py", "pip.conf",
    }  # fmt: skip


# Interrupted


class Moment(NamedTuple):
    """An instant of a making: when it has come, and whether it holds still by itself."""

    has_come: Callable[[Toy], object]
    waits: bool = False


def half(toy: Toy) -> Path:
    return next(toy.runtimes.glob("toy-*"), toy.runtimes / "none")


MOMENTS = {
    "venv": Moment(lambda toy: (half(toy) / "env" / "pyvenv.cfg").exists()),
    "ensurepip": Moment(lambda toy: list(half(toy).glob("env/lib/*/site-packages/pip"))),
    "download": Moment(lambda toy: list(half(toy).glob("wheels/*.done"))),
    "install": Moment(lambda toy: list(half(toy).glob("env/lib/*/site-packages/sentence.py"))),
    "check": Moment(lambda toy: (toy.folder / "wait").read_text(), waits=True),
}


@live
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize(
    "blow", [signal.SIGKILL, exhaustive(signal.SIGINT), exhaustive(signal.SIGTERM)]
)
def test_whenever_it_is_interrupted_the_next_start_goes_on(toy: Toy, blow: signal.Signals) -> None:
    waits = toy.folder / "wait"
    fetched: dict[str, int] = {}
    for name, moment in MOMENTS.items():
        waits.touch()
        words = ["runtime", "install", "toy", "--yes", "--no-index", "--find-links"]
        process = toy.start(*words, str(toy.wheels), TOY_WAIT=str(waits))
        wait_for(lambda moment=moment: moment.has_come(toy), 60)  # type: ignore[misc]
        process.send_signal(blow)
        said = process.communicate(timeout=60)[1]
        expected = {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}
        assert process.returncode == expected[blow], said
        assert "Traceback" not in said
        if blow != signal.SIGKILL:
            assert not list(toy.runtimes.glob("toy-*/env")), name
        with pytest.raises(Missing):
            find("toy", REQUIRES)
        # Also when we could not end them.
        wait_for(lambda: not toy.workers(), 20)
        done = {path.name: path.stat().st_mtime_ns for path in half(toy).glob("wheels/*.done")}
        assert fetched.items() <= done.items(), name
        fetched = done
    assert fetched
    assert status.examine("toy", REQUIRES).word == "incomplete"
    waits.unlink()
    # What had been fetched is not fetched again.
    shutil.rmtree(toy.wheels)
    done = toy.install("--yes", "--no-index")
    assert done.returncode == 0, done.stderr
    assert find("toy", REQUIRES)
    assert {path.name for path in toy.installed.iterdir()} == {"env", COMPLETE}


@live
def test_two_starts_at_once_make_one_environment(toy: Toy) -> None:
    words = ["runtime", "install", "toy", "--yes", "--json", "--no-index", "--find-links"]
    both = [toy.start(*words, str(toy.wheels)) for _n in range(2)]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sorted(json.loads(out)["made"] for out, _err in said) == [False, True]
    assert [("Another `course`" in err) for _out, err in said].count(True) == 1
    assert find("toy", REQUIRES)


@live
def test_while_it_is_made_it_is_not_removed(toy: Toy) -> None:
    waits = toy.folder / "wait"
    waits.touch()
    words = ["runtime", "install", "toy", "--yes", "--no-index", "--find-links"]
    process = toy.start(*words, str(toy.wheels), TOY_WAIT=str(waits))
    try:
        wait_for(lambda: waits.read_text(), 60)
        done = toy.course("runtime", "remove", "toy", "--yes")
        assert (done.returncode, done.stdout) == (2, "")
        assert "is just being made" in done.stderr
    finally:
        waits.unlink()
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert toy.course("runtime", "remove", "toy", "--yes").returncode == 0
    assert nothing_is_left(toy)


# What can't be made


def test_without_room_nothing_is_begun(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type(shutil.disk_usage("/"))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 0, 220 * 10**6))
    with pytest.raises(UserError, match=r"needs 222 MB in `.*`, where 220 MB are free"):
        install.install("toy", supply=toy.supply)
    assert nothing_is_left(toy)


def test_a_processor_without_the_instructions_is_told_before_anything_is_fetched(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = toy.lessons / "runtimes" / "toy.toml"
    source.write_text(source.read_text() + 'instructions = ["avx"]\n')
    monkeypatch.setattr(install, "_instructions", lambda: {"sse", "sse2"})
    with pytest.raises(UserError, match="lacks the instructions `AVX`"):
        install.install("toy", supply=toy.supply)
    assert nothing_is_left(toy)
    # A machine that does not tell is given the benefit of the doubt.
    monkeypatch.setattr(install, "_instructions", set)
    monkeypatch.setattr(interpreter, "suitable", lambda versions, named: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        install.install("toy", supply=toy.supply)


def test_a_folder_that_cannot_be_made_is_named(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    (toy.folder / "file").touch()
    monkeypatch.setenv("COURSE_RUNTIMES", str(toy.folder / "file" / "runtimes"))
    with pytest.raises(UserError, match=r"cannot be written .*`COURSE_RUNTIMES`"):
        install.install("toy", supply=toy.supply)


def test_a_folder_of_wheels_that_is_not_there_is_named(toy: Toy) -> None:
    with pytest.raises(UserError, match="There is no folder `/no/wheels`"):
        install.install("toy", supply=Supply("/no/wheels"))


def fake(folder: Path, name: str, *version: int, venv: bool = True, plain: bool = True) -> str:
    """A program that says that it is a Python."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    said = {"python": str(program), "base": str(program), "version": version}
    said |= {"venv": venv, "plain": plain, "site": []}
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(said)}\nEND\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    ("version", "more", "says"),
    [
        ((3, 15, 0), {}, r"needs a Python `>=3.11,<3.15` .* found only `Python 3.15.0` \(too new"),
        ((3, 10, 4), {}, r"`Python 3.10.4` \(too old\)"),
        ((3, 12, 4), {"venv": False}, r"`Python 3.12.4` \(without venv\)"),
        ((3, 12, 4), {"plain": False}, r"`Python 3.12.4` \(not a plain 64-bit CPython\)"),
    ],
)
def test_a_python_that_cannot_serve_is_told(
    toy: Toy, tmp_path: Path, version: tuple[int, ...], more: dict[str, bool], says: str
) -> None:
    with pytest.raises(UserError, match=says):
        install.install("toy", python=fake(tmp_path / "bin", "python3", *version, **more))
    assert nothing_is_left(toy)


def test_a_program_that_is_no_python_is_told(toy: Toy) -> None:
    for name in ("/bin/false", "/no/such/python"):
        with pytest.raises(UserError, match="is no Python that starts"):
            install.install("toy", python=name)


def test_the_highest_fitting_python_is_found_and_one_that_fails_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    fake(first, "python3", 3, 16, 0)
    fake(first, "python3.14", 3, 14, 1, venv=False)
    # As a version manager's, of a version that is not installed.
    (first / "python3.13").write_text("#!/bin/sh\necho 'not installed' >&2\nexit 127\n")
    (first / "python3.13").chmod(0o755)
    good = fake(second, "python3.13", 3, 13, 9)
    fake(second, "python3.12", 3, 12, 9)
    monkeypatch.setenv("PATH", os.pathsep.join([str(first), str(second), "/bin"]))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PYENV_ROOT", "UV_PYTHON_INSTALL_DIR"):
        monkeypatch.delenv(name, raising=False)
    # Were our own fit, it would be taken.
    assert interpreter.suitable(">=3.11").version == sys.version_info[:3]
    monkeypatch.setattr(sys, "executable", str(first / "python3"))
    monkeypatch.setattr(sys, "_base_executable", str(first / "python3"))
    assert interpreter.suitable(">=3.12,<3.15").python == good
    with pytest.raises(UserError, match=r"`Python 3.16.0` \(too new\)"):
        interpreter.suitable(">=3.15,<3.16")
    managed = fake(tmp_path / ".pyenv", "ignored", 3, 15, 2)
    place = tmp_path / ".pyenv" / "versions" / "3.15.2" / "bin"
    place.mkdir(parents=True)
    Path(managed).rename(place / "python3.15")
    assert interpreter.suitable(">=3.15,<3.16").version == (3, 15, 2)


# What pip could not do


def failed(toy: Toy, *words: str, **variables: str) -> str:
    """The one sentence with which an install ends."""
    done = toy.install("--yes", *words, **variables)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert errors == done.stderr.splitlines()[-1:]
    assert "Traceback" not in done.stderr
    assert nothing_is_left(toy) or not list(toy.runtimes.glob("toy-*/env"))
    return errors[0]


@live
def test_what_is_wrong_with_the_packages_is_one_sentence(toy: Toy) -> None:
    # No network: nobody listens there.
    said = failed(toy, PIP_INDEX_URL="http://127.0.0.1:9/simple", PIP_RETRIES="0")
    assert "The package index cannot be reached" in said
    log = toy.folder / "cache" / "logs" / "runtime-toy.log"
    assert str(log) in said
    assert "127.0.0.1" in log.read_text()
    assert nothing_is_left(toy)
    # Another file under the right name, and a wheel that is not there.
    good = toy.wheels / "sentence-1.5-py3-none-any.whl"
    aside = good.rename(toy.folder / good.name)
    said = failed(toy, "--find-links", str(toy.wheels), "--no-index")
    assert f"The folder `{toy.wheels}` lacks `sentence==1.5` for this machine" in said
    wheel(toy.wheels, "sentence", "1.5", "evil = True\n")
    said = failed(toy, "--find-links", "wheels", "--no-index")
    assert "downloaded for `sentence==1.5` is not the one that was pinned" in said
    assert nothing_is_left(toy)
    shutil.copy(aside, good)
    # One that installs, and does not load.
    toy.lines[1] = wheel(toy.wheels, "datasets", "3.0", "import no_such_module\n")
    toy.write()
    said = failed(toy, "--find-links", "wheels", "--no-index")
    assert "`datasets` was installed, but cannot be loaded here" in said
    assert "No module named 'no_such_module'" in log.read_text()
    died = "import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n"
    toy.lines[1] = wheel(toy.wheels, "datasets", "3.0", died)
    toy.write()
    said = failed(toy, "--find-links", "wheels", "--no-index")
    assert "`datasets` was installed, but uses instructions that this processor lacks" in said


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on "
            "device: '/x'",
            "There is no space left in `/place`",
        ),
        ("ERROR: [Errno 122] Disk quota exceeded", "There is no space left"),
        (
            "WARNING: Retrying (Retry(total=4)) after connection broken by 'ProxyError('Cannot "
            "connect to proxy.')': /simple/six/\nERROR: Could not find a version that satisfies "
            "the requirement six==1.17.0 (from versions: none)\nERROR: No matching distribution "
            "found for six==1.17.0",
            "The package index cannot be reached",
        ),
        (
            "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\n"
            "ERROR: Could not find a version that satisfies the requirement six==1.17.0 (from "
            "versions: 1.15.0, 1.16.0)\nERROR: No matching distribution found for six==1.17.0",
            "There is no `six==1.17.0` for this machine (Python 3.12.1,",
        ),
        ("ERROR: HTTP error 503 while getting https://x/y.whl", "cannot be reached"),
        ("pip._vendor.urllib3.exceptions.ReadTimeoutError: Read timed out.", "cannot be reached"),
        (
            "Could not fetch URL https://x/simple/six/: There was a problem confirming the ssl "
            "certificate: [SSL: CERTIFICATE_VERIFY_FAILED] - skipping",
            "a certificate that is not trusted here",
        ),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you\n"
            "    six==1.17.0 from https://x/six.whl (from -r r.txt (line 1)):\n        Expected",
            "downloaded for `six==1.17.0` is not the one that was pinned",
        ),
        ("ERROR: six-1.17.0-cp99.whl is not a supported wheel on this platform.", "`six-1.17.0-"),
        ("PermissionError: [Errno 13] Permission denied: '/x'", "Something in `/place` cannot be"),
        ("ERROR: Something new", "pip failed, and why is not known here: `/log` holds"),
    ],
)
def test_the_words_of_pip_become_one_sentence(output: str, says: str) -> None:
    said = pip.explain(output, Path("/place"), PYTHON, Supply(), Path("/log"))
    assert says in said
    assert "\n" not in said


def test_the_real_list_is_read_whole() -> None:
    for name in runtime.frameworks():
        recipe = runtime.describe(name).recipe
        if recipe is None:
            continue
        pins = pip.pins(recipe.pins, PYTHON)
        lines = recipe.pins.read_text("utf-8").splitlines()
        named = [line for line in lines if line[:1].isalnum()]
        marked = [line for line in named if ";" in line]
        assert len(named) - len(marked) <= len(pins) <= len(named)
        assert all(pin.line.count("--hash=sha256:") >= 1 for pin in pins)
        first, *others = pip.chunks(pins, recipe.alone)
        assert [pin.name for pin in first] == list(recipe.alone[:1])
        assert sum(map(len, others)) == len(pins) - 1


def test_the_libraries_of_the_lessons_are_in_the_list() -> None:
    from packaging.specifiers import SpecifierSet

    from course.lesson import lesson

    for name in lesson.ids():
        for framework, part in lesson.load(name).parts.items():
            recipe = runtime.describe(framework).recipe
            if recipe is not None:
                pins = {pin.name: pin.version for pin in pip.pins(recipe.pins, PYTHON)}
                for text in part.requires:
                    library, range_ = runtime.split_requirement(text)
                    assert pins[library.replace("_", "-").lower()] in SpecifierSet(range_)


# A run that needs it


@live
def test_a_run_installs_what_is_missing_with_yes_and_keeps_stdout_clean(toy: Toy) -> None:
    done = toy.course("run", "toy-1", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "`course runtime install toy`" in done.stderr
    given = {"PIP_FIND_LINKS": str(toy.wheels), "PIP_NO_INDEX": "1", "COURSE_WARM": "off"}
    done = toy.course("run", "toy-1", "--fw", "toy", "--yes", "--json", **given)
    assert json.loads(done.stdout)["runtime"]["sentence"] == "1.5", done.stderr
    assert "Downloading" in done.stderr
    done = toy.course("runtime", "list", "--json")
    own, made = json.loads(done.stdout)["runtimes"]
    assert (own["source"], own["health"], own["lessons"], own["size"]) == ("own", "ok", [], None)
    assert (made["health"], made["lessons"], made["problem"]) == ("ok", ["toy-1"], None)
    assert made["versions"]["sentence"] == "1.5"


def test_wheels_are_counted_while_pip_takes_its_folders_away(tmp_path: Path) -> None:
    kept = tmp_path / "deep" / "kept.whl"
    kept.parent.mkdir()
    kept.touch()
    over = threading.Event()

    def come_and_go() -> None:
        while not over.is_set():
            for number in range(20):
                (tmp_path / f"pip-{number}" / "deep").mkdir(parents=True)
            for number in range(20):
                shutil.rmtree(tmp_path / f"pip-{number}")

    pip_at_work = threading.Thread(target=come_and_go)
    pip_at_work.start()
    try:
        for _look in range(300):
            assert list(install.wheels(tmp_path, tmp_path / "missing")) == [kept]
    finally:
        over.set()
        pip_at_work.join()
