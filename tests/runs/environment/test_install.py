"""Environments that are really made, with a real uv, of wheels of a few hundred bytes."""

import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from course import paths
from course.errors import UserError
from course.runs.environment import install, interpreter, package_settings, runtime, status
from course.runs.environment.install import Phase
from course.runs.environment.package_errors import explain
from course.runs.environment.package_settings import Supply
from course.runs.environment.runtime import COMPLETE, RuntimeMissing, find
from tests import documents
from tests.runs.conftest import wait_for
from tests.runs.environment.toy import Toy, wheel
from tests.tiers import exhaustive

REQUIRES = ("sentence>=1.0,<2", "datasets>=1")
live = pytest.mark.live  # each environment takes some seconds


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    made = Toy(tmp_path).make()
    monkeypatch.setattr(paths, "lessons", lambda: made.lessons)
    monkeypatch.setenv("COURSE_RUNTIMES", str(made.runtimes))
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("UV_CACHE_DIR", str(made.packages))
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
        "UV_PROJECT": str(astray / "project"),
        "UV_TARGET": str(astray / "target"),
        "UV_CONSTRAINT": str(astray / "none.txt"),
        "UV_NO_BINARY": ":all:",
        "UV_PYTHON": "3.7",
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


def test_what_pip_is_told_is_handed_on(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links, ca = tmp_path / "links", tmp_path / "ca.pem"
    links.mkdir()
    ca.touch()
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = https://user:secret@mirror.example/simple\ntimeout = 7.5\n"
        f"extra-index-url =\n    https://one.example/simple\n    https://two.example/simple\n"
        f"find-links = {links} {tmp_path / 'gone'}\ncert = {ca}\nclient-cert = {ca}\n"
        "trusted-host = one.example\nproxy = http://ours.example:3128\nquiet = 3\n"
        "[install]\ntrusted-host = one.example two.example\nuser = yes\n"
        "[list]\nindex-url = https://wrong.example/simple\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.delenv("PIP_CERT", raising=False)
    monkeypatch.setenv("PIP_PROXY", "http://theirs.example:3128")
    monkeypatch.setenv("UV_INDEX_STRATEGY", "first-index")
    monkeypatch.setenv("UV_CONSTRAINT", "/none.txt")
    monkeypatch.setenv("https_proxy", "http://wrong.example:3128")
    pip = package_settings.read_pip()
    options = package_settings.uv_options(pip, Supply("/wheels of ours"))
    assert options == [
        "--find-links", str(links), "--find-links", "/wheels of ours",
        "--index-strategy", "unsafe-best-match",
    ]  # fmt: skip
    variables = package_settings.uv_environment(pip, tmp_path / "own")
    handed_on = {
        "UV_DEFAULT_INDEX": "https://user:secret@mirror.example/simple",
        "UV_INDEX": "https://one.example/simple https://two.example/simple",
        "UV_INSECURE_HOST": "one.example two.example",
        "UV_HTTP_TIMEOUT": "7",
        "SSL_CERT_FILE": str(ca),
        "SSL_CLIENT_CERT": str(ca),
        "HTTPS_PROXY": "http://theirs.example:3128",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_CACHE_DIR": str(toy.packages),
    }
    assert {name: variables.get(name) for name in handed_on} == handed_on
    assert not {"UV_CONSTRAINT", "https_proxy"} & variables.keys()
    # No cache: one that goes when the environment is made.
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    pip = package_settings.read_pip()
    variables = package_settings.uv_environment(pip, tmp_path / "own")
    assert variables["UV_CACHE_DIR"] == str(tmp_path / "own")


def test_the_variables_of_pip_hold_where_there_is_no_pip(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    monkeypatch.setenv("PIP_NO_INDEX", "true")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    pip = package_settings.read_pip()
    assert pip["index-url"] == "https://mirror.example/simple"
    assert "--no-index" in package_settings.uv_options(pip, Supply())


@live
def test_packages_come_from_a_mirror_that_pip_knows(toy: Toy, tmp_path: Path) -> None:
    served: list[str] = []

    class Index(SimpleHTTPRequestHandler):
        """The pages of an index, and the files that they link to."""

        def send_head(self) -> Any:
            served.append(self.path)
            return super().send_head()

        def log_message(self, *words: object) -> None:
            """Say nothing."""

    for path in toy.wheels.iterdir():
        page = tmp_path / "index" / "simple" / path.name.split("-")[0]
        page.mkdir(parents=True)
        shutil.copy(path, page)
        (page / "index.html").write_text(f'<a href="{path.name}">{path.name}</a>')
    handler = functools.partial(Index, directory=str(tmp_path / "index"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/simple"
        (tmp_path / "pip.conf").write_text(f"[global]\nindex-url = {url}\nno-cache-dir = true\n")
        done = toy.install("--yes", PIP_CONFIG_FILE=str(tmp_path / "pip.conf"), NO_PROXY="*")
        server.shutdown()
    assert done.returncode == 0, done.stderr
    assert any("sentence-1.5" in path for path in served)
    # And the user, who wants no cache, has none.
    assert {path.name for path in toy.installed.iterdir()} == {"env", COMPLETE}
    assert not list(toy.packages.glob("archive-*/*"))


# Interrupted


class Moment(NamedTuple):
    """An instant of a making: when it has come, and whether it holds still by itself."""

    has_come: Callable[[Toy], object]
    waits: bool = False


def half(toy: Toy) -> Path:
    return next(toy.runtimes.glob("toy-*"), toy.runtimes / "none")


MOMENTS = {
    "venv": Moment(lambda toy: (half(toy) / "env" / "pyvenv.cfg").exists()),
    "download": Moment(lambda toy: list(toy.packages.glob("archive-*/*"))),
    "install": Moment(lambda toy: list(half(toy).glob("env/lib/*/site-packages/sentence.py"))),
    "ensurepip": Moment(lambda toy: list(half(toy).glob("env/lib/*/site-packages/pip"))),
    "check": Moment(lambda toy: (toy.folder / "wait").read_text(), waits=True),
}


@live
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("name_of_signal", ["SIGKILL", exhaustive("SIGINT"), exhaustive("SIGTERM")])
def test_whenever_it_is_interrupted_the_next_start_goes_on(toy: Toy, name_of_signal: str) -> None:
    blow = signal.Signals[name_of_signal]
    waits = toy.folder / "wait"
    fetched: set[Path] = set()
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
            assert nothing_is_left(toy), name
        with pytest.raises(RuntimeMissing):
            find("toy", REQUIRES)
        # Also when we could not end them.
        wait_for(lambda: not toy.workers(), 20)
        kept = {*toy.packages.glob("archive-*/*")}
        assert fetched <= kept, name
        fetched = kept
    assert fetched
    word = status.examine("toy", REQUIRES).word
    assert word == ("incomplete" if blow == signal.SIGKILL else "missing")
    # What was being unpacked when uv was killed does not stay with the user.
    (toy.packages / ".tmpunfinished").mkdir()
    waits.unlink()
    done = toy.install("--yes", "--no-index", "--find-links", str(toy.wheels))
    assert done.returncode == 0, done.stderr
    assert find("toy", REQUIRES)
    assert {path.name for path in toy.installed.iterdir()} == {"env", COMPLETE}
    assert not list(toy.packages.glob(".tmp*"))


@live
def test_two_starts_at_once_make_one_environment(toy: Toy) -> None:
    words = ["runtime", "install", "toy", "--yes", "--json", "--no-index", "--find-links"]
    both = [toy.start(*words, str(toy.wheels)) for _n in range(2)]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    for out, _err in said:
        documents.check(words, out)
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
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 0, 219 * 10**6))
    with pytest.raises(UserError, match=r"needs 220 MB in `.*`, where 219 MB are free"):
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
    if os.name == "nt":
        pytest.skip("a script of a shell passes for a Python")
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


@pytest.mark.skipif(os.name == "nt", reason="has no such program")
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


# What uv could not do


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


@live
@pytest.mark.skipif(shutil.which("unshare") is None, reason="mounts a small disk")
def test_a_disk_that_fills_up_is_one_sentence(toy: Toy) -> None:
    toy.lines[1] = wheel(toy.wheels, "datasets", "3.0", f"text = '{os.urandom(200_000).hex()}'\n")
    toy.write()
    toy.packages.mkdir()
    words = ["runtime", "install", "toy", "--yes", "--no-index", "--find-links", str(toy.wheels)]
    mount = f"mount -t tmpfs -o size=256k none {toy.packages}"
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", f'{mount} && "$@"', "bash", *toy.command(*words)],
        env=toy.variables(), capture_output=True, text=True,
    )  # fmt: skip
    if "mount" in done.stderr:
        pytest.skip("no mounts here")
    assert f"There is no space left in `{toy.packages}`" in done.stderr
    assert nothing_is_left(toy)


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (
            "error: Failed to install: six.whl\n  cause: failed to copy file from /cache/x to "
            "/place/env/x: No space left on device (os error 28)",
            "There is no space left in `/place`",
        ),
        (
            "error: Failed to download `six==1.17.0`\n  cause: failed to write to file "
            "`/cache/.tmp1/x`: Disk quota exceeded (os error 122)",
            "There is no space left in `/cache`",
        ),
        (
            "error: Failed to fetch: https://x/simple/six/\n  cause: error sending request for url "
            "(https://x/simple/six/)\n  cause: dns error",
            "The package index cannot be reached",
        ),
        (
            "error: Failed to fetch: https://x/simple/six/\n  cause: HTTP status server error (503 "
            "Service Unavailable) for url (https://x/simple/six/)",
            "cannot be reached",
        ),
        (
            "error: Failed to fetch: https://x/simple/six/\n  cause: error sending request for url"
            "\n  cause: client error (Connect)\n  cause: invalid peer certificate: UnknownIssuer",
            "a certificate that is not trusted here",
        ),
        (
            "error: Failed to download `six==1.17.0`\n  cause: Hash mismatch for `six==1.17.0`\n\n"
            "         Expected:\n           sha256:00",
            "downloaded for `six==1.17.0` is not the one that was pinned",
        ),
        (
            "error: No solution found when resolving dependencies\n  cause: Because there is no "
            "version of six==9.17.0 and you require six==9.17.0, we can conclude",
            "There is no `six==9.17.0` for this machine (Python 3.12.1,",
        ),
        (
            "error: failed to create directory `/cache/x`: Permission denied (os error 13)",
            "Something in `/cache` cannot be written: mend its permissions, or name another folder "
            "in `UV_CACHE_DIR`",
        ),
        (
            "error: failed to create directory `/place/x`: Permission denied (os error 13)",
            "name another folder in `COURSE_RUNTIMES`",
        ),
        ("error: Something new", "uv failed, and why is not known here: `/log` holds"),
    ],
)
def test_what_uv_writes_becomes_one_sentence(output: str, says: str) -> None:
    said = explain(output, Path("/place"), Path("/cache"), "3.12.1", Supply(), Path("/log"))
    assert says in said
    assert "\n" not in said


def test_the_libraries_of_the_lessons_are_in_the_list() -> None:
    from packaging.specifiers import SpecifierSet

    from course.lesson import lesson

    for name in lesson.ids():
        for framework, part in lesson.load(name).parts.items():
            recipe = runtime.describe(framework).recipe
            if recipe is not None:
                text = recipe.pins.read_text("utf-8")
                pins = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.M))
                for wish in part.requires:
                    library, range_ = runtime.split_requirement(wish)
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
