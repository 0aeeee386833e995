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

from course.base.errors import UserError
from course.runs.environment import install, runtime, status
from course.runs.environment.runtime import COMPLETE, RuntimeMissing, find
from tests import documents
from tests.runs.conftest import wait_for
from tests.runs.environment.toy import WHEELS, Toy, wheel
from tests.tiers import exhaustive

REQUIRES = ("sentence>=1.0,<2", "datasets>=1")
INSTALL = ("runtime", "install", "toy", "--yes", *WHEELS)
live = pytest.mark.live  # each environment takes some seconds


@pytest.fixture
def toy(toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    """Keep from the framework what this machine tells pip and uv."""
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("UV_CACHE_DIR", str(toy.packages))
    for name in [name for name in os.environ if name.startswith("PIP_") and name[4:] != "CERT"]:
        if name != "PIP_CONFIG_FILE":
            monkeypatch.delenv(name)
    return toy


def nothing_is_left(toy: Toy) -> bool:
    left = {path.name for path in toy.runtimes.iterdir()} if toy.runtimes.exists() else set()
    return left <= {"toy.lock"} and not toy.workers()


def made_of_wheels(toy: Toy, tell: install.Tell = print) -> tuple[runtime.Environment, bool]:
    return install.install("toy", find_links=str(toy.wheels), no_index=True, tell=tell)


# Made, and used


@live
def test_an_environment_is_made_whole_and_used(toy: Toy) -> None:
    told: list[str] = []
    made, new = made_of_wheels(toy, told.append)
    assert new
    assert told == ["Starting Python and its libraries …"]
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
    state = status.examine("toy", REQUIRES)
    assert (state.word, state.source, state.size) == ("ok", "installed", made.size)
    assert install.install("toy") == (made, False)
    # A library that was taken away: not whole, and made anew.
    shutil.rmtree(next(Path(found.site[0]).glob("sentence-*")))
    assert status.examine("toy", REQUIRES).word == "broken"
    again, new = made_of_wheels(toy)
    assert new
    # Another list: the old environment goes.
    toy.lines.append(wheel(toy.wheels, "more", "1"))
    toy.write()
    newer, new = made_of_wheels(toy)
    assert new
    assert again.folder is not None
    assert not again.folder.exists()
    assert install.install("toy") == (newer, False)
    install.remove("toy")
    assert nothing_is_left(toy)


@pytest.mark.exhaustive
def test_what_leads_other_interpreters_astray_does_no_harm(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    astray = tmp_path / "astray"
    astray.mkdir()
    (astray / "sitecustomize.py").write_text("raise SystemExit(9)\n")
    (astray / "sentence.py").write_text("raise SystemExit(9)\n")
    monkeypatch.setenv("PYTHONPATH", str(astray))
    _made, new = made_of_wheels(toy)
    assert new


def test_what_pip_is_told_of_indexes_the_proxy_and_certificates_is_handed_on(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ca = tmp_path / "ca.pem"
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = https://user:secret@mirror.example/simple\n"
        f"extra-index-url =\n    https://one.example/simple\n    https://two.example/simple\n"
        f"cert = {ca}\nproxy = http://ours.example:3128\n"
        "[list]\nindex-url = https://wrong.example/simple\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.delenv("PIP_CERT", raising=False)
    monkeypatch.setenv("PIP_PROXY", "http://theirs.example:3128")
    monkeypatch.setenv("https_proxy", "http://wrong.example:3128")
    variables = install._uv_variables()
    handed_on = {
        "UV_DEFAULT_INDEX": "https://user:secret@mirror.example/simple",
        "UV_INDEX": "https://one.example/simple https://two.example/simple",
        "SSL_CERT_FILE": str(ca),
        "https_proxy": "http://theirs.example:3128",
        "UV_CACHE_DIR": str(toy.packages),
    }
    assert {name: variables.get(name) for name in handed_on} == handed_on


def test_the_variables_of_pip_hold_where_there_is_no_pip(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert install._uv_variables()["UV_DEFAULT_INDEX"] == "https://mirror.example/simple"


@pytest.mark.exhaustive
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
        (tmp_path / "pip.conf").write_text(f"[global]\nindex-url = {url}\n")
        done = toy.install(PIP_CONFIG_FILE=str(tmp_path / "pip.conf"), NO_PROXY="*")
        server.shutdown()
    assert done.returncode == 0, done.stderr
    assert any("sentence-1.5" in path for path in served)
    assert {path.name for path in toy.installed.iterdir()} == {"env", COMPLETE}


# Interrupted


class Moment(NamedTuple):
    """An instant of a making: when it has come, and whether it is before the check is over."""

    has_come: Callable[[Toy], object]
    waits: bool = True


def half(toy: Toy) -> Path:
    return next(toy.runtimes.glob("toy-*"), toy.runtimes / "none")


MOMENTS = {
    "venv": Moment(lambda toy: (half(toy) / "env" / "pyvenv.cfg").exists()),
    "download": Moment(lambda toy: list(toy.packages.glob("archive-*/*"))),
    "install": Moment(lambda toy: list(half(toy).glob("env/lib/*/site-packages/sentence.py"))),
    "check": Moment(lambda toy: (toy.folder / "wait").read_text()),
    "ensurepip": Moment(lambda toy: list(half(toy).glob("env/lib/*/site-packages/pip")), False),
}


@live
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("name_of_signal", ["SIGKILL", exhaustive("SIGINT"), exhaustive("SIGTERM")])
def test_whenever_it_is_interrupted_the_next_start_goes_on(toy: Toy, name_of_signal: str) -> None:
    blow = signal.Signals[name_of_signal]
    waits = toy.folder / "wait"
    fetched: set[Path] = set()
    for name, moment in MOMENTS.items():
        if moment.waits:
            waits.touch()
        process = toy.start(*INSTALL, TOY_WAIT=str(waits))
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
        # A uv that we could not end comes to its own end.
        waits.unlink(missing_ok=True)
        wait_for(lambda: not toy.workers(), 60)
        kept = {*toy.packages.glob("archive-*/*")}
        assert fetched <= kept, name
        fetched = kept
    assert fetched
    word = status.examine("toy", REQUIRES).word
    assert word == ("incomplete" if blow == signal.SIGKILL else "missing")
    done = toy.install(*WHEELS)
    assert done.returncode == 0, done.stderr
    assert find("toy", REQUIRES)
    assert {path.name for path in toy.installed.iterdir()} == {"env", COMPLETE}


@pytest.mark.exhaustive
def test_two_starts_at_once_make_one_environment(toy: Toy) -> None:
    words = [*INSTALL, "--json"]
    both = [toy.start(*words) for _n in range(2)]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    for out, _err in said:
        documents.check(words, out)
    assert sorted(json.loads(out)["made"] for out, _err in said) == [False, True]
    assert [("Another `course`" in err) for _out, err in said].count(True) == 1
    assert find("toy", REQUIRES)


@pytest.mark.exhaustive
def test_while_it_is_made_it_is_not_removed(toy: Toy) -> None:
    waits = toy.folder / "wait"
    waits.touch()
    process = toy.start(*INSTALL, TOY_WAIT=str(waits))
    try:
        wait_for(lambda: waits.read_text(), 60)
        done = toy.course("runtime", "remove", "toy", "--yes")
        assert (done.returncode, done.stdout) == (2, "")
        assert "is being installed now" in done.stderr
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
    with pytest.raises(UserError, match=r"not enough space in `.*`: 220 MB are needed"):
        made_of_wheels(toy)
    assert nothing_is_left(toy)


def test_a_folder_that_cannot_be_made_is_named(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    (toy.folder / "file").touch()
    monkeypatch.setenv("COURSE_RUNTIMES", str(toy.folder / "file" / "runtimes"))
    with pytest.raises(UserError, match=r"cannot be written .*`COURSE_RUNTIMES`"):
        made_of_wheels(toy)


def test_a_machine_without_uv_is_told(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uv", None)
    with pytest.raises(UserError, match="uv is not installed: run `"):
        made_of_wheels(toy)
    assert nothing_is_left(toy)


# What uv could not do


def failed(toy: Toy, *words: str, **variables: str) -> list[str]:
    """Return what uv says as an install ends, and then our one sentence."""
    done = toy.install(*words, **variables)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    *before, last = done.stderr.splitlines()
    assert last.startswith("Error: ")
    assert not [line for line in before if line.startswith("Error: ")]
    assert "Traceback" not in done.stderr
    assert nothing_is_left(toy)
    return ["\n".join(before), last]


@live
def test_what_uv_says_comes_before_one_sentence(toy: Toy) -> None:
    unfit = "uv could not install the packages. The reason is above"
    # No network: nobody listens there.
    said, ours = failed(toy, PIP_INDEX_URL="http://127.0.0.1:9/simple", UV_HTTP_RETRIES="0")
    assert "Failed to fetch: http://127.0.0.1:9/simple" in said
    assert unfit in ours
    # A folder, and a wheel in it, that is not there.
    said, ours = failed(toy, "--find-links", "none", "--no-index")
    assert f"`--find-links` directory: {toy.folder / 'none'}" in said
    assert unfit in ours
    good = toy.wheels / "sentence-1.5-py3-none-any.whl"
    aside = good.rename(toy.folder / good.name)
    said, ours = failed(toy, *WHEELS)
    assert "sentence was not found in the provided package locations" in said
    assert unfit in ours
    # Another file under the right name.
    wheel(toy.wheels, "sentence", "1.5", "evil = True\n")
    said, ours = failed(toy, *WHEELS)
    assert "Hash mismatch for `sentence==1.5`" in said
    assert unfit in ours
    shutil.copy(aside, good)
    # Not a Python.
    for python in ("/bin/false", "/no/such/python"):
        said, ours = failed(toy, "--python", python)
        assert f"`{python}`" in said
        assert f"uv could not create an environment with `{python}`" in ours


@live
def test_what_installs_and_does_not_load_is_removed(toy: Toy) -> None:
    toy.lines[1] = wheel(toy.wheels, "datasets", "3.0", "import no_such_module\n")
    toy.write()
    _said, ours = failed(toy, *WHEELS)
    assert "`datasets` was installed but cannot be loaded" in ours
    assert "No module named 'no_such_module'" in ours
    died = "import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n"
    toy.lines[1] = wheel(toy.wheels, "datasets", "3.0", died)
    toy.write()
    _said, ours = failed(toy, *WHEELS)
    assert "`datasets` was installed, but it uses instructions that this CPU does not have" in ours


@live
def test_another_python_is_looked_for_where_ours_does_not_fit(toy: Toy) -> None:
    source = toy.lessons / "runtimes" / "toy.toml"
    source.write_text(source.read_text().replace(">=3.11,<3.15", ">=3.98,<3.99"))
    said, ours = failed(toy, *WHEELS)
    assert "No interpreter found for CPython >=3.98, <3.99" in said
    assert "These lessons need Python `>=3.98,<3.99`. Choose one with `--python PATH`" in ours


@live
@pytest.mark.skipif(shutil.which("unshare") is None, reason="mounts a small disk")
def test_a_disk_that_fills_up_is_one_sentence(toy: Toy) -> None:
    toy.lines[1] = wheel(toy.wheels, "datasets", "3.0", f"text = '{os.urandom(200_000).hex()}'\n")
    toy.write()
    toy.packages.mkdir()
    mount = f"mount -t tmpfs -o size=256k none {toy.packages}"
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", f'{mount} && "$@"', "bash", *toy.command(*INSTALL)],
        cwd=toy.folder, env=toy.variables(), capture_output=True, text=True,
    )  # fmt: skip
    if "mount" in done.stderr:
        pytest.skip("no mounts here")
    assert "No space left on device" in done.stderr
    assert "Error: uv could not install the packages" in done.stderr
    assert nothing_is_left(toy)


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
    given = {"UV_FIND_LINKS": str(toy.wheels), "UV_OFFLINE": "1", "COURSE_WARM": "off"}
    done = toy.course("run", "toy-1", "--fw", "toy", "--yes", "--json", **given)
    assert json.loads(done.stdout)["runtime"]["sentence"] == "1.5", done.stderr
    assert "Installed 2 packages" in done.stderr
    done = toy.course("runtime", "list", "--json")
    own, made = json.loads(done.stdout)["runtimes"]
    assert (own["source"], own["health"], own["lessons"], own["size"]) == ("own", "ok", [], None)
    assert (made["health"], made["lessons"], made["problem"]) == ("ok", ["toy-1"], None)
    assert made["versions"]["sentence"] == "1.5"
