"""`course runtime` as a user would try it; nothing is really installed here."""

import json
import sys
from pathlib import Path

import pexpect
import pytest

from course.runs.environment.runtime import COMPLETE, NAMED
from tests.runs.environment.test_runtime import library
from tests.runs.environment.toy import Toy

pytestmark = pytest.mark.live
"""Each starts the real command, most of them several times."""


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path).make()


def listed(toy: Toy, **variables: str) -> dict[str, dict[str, object]]:
    done = toy.course("runtime", "list", "--json", **variables)
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert document["format"] == 1
    return {each["framework"]: each for each in document["runtimes"]}


def test_what_cannot_be_installed_or_used_is_one_sentence_and_status_2(toy: Toy) -> None:
    for arguments, says in (
        (("install", "toy"), "To continue without the question, add `--yes`"),
        (("use", "toy", sys.executable), "(`sentence>=1.0,<2`"),
    ):
        done = toy.course("runtime", *arguments)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert says in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert not toy.runtimes.exists() or not list(toy.runtimes.glob("toy-*"))


def test_what_is_not_there_is_listed_with_what_to_type(toy: Toy) -> None:
    found = listed(toy)["toy"]
    assert found | {"problem": ""} == {
        "framework": "toy", "source": "installed", "python": None, "versions": {},
        "lessons": ["toy-1"], "size": None, "health": "missing", "problem": "",
    }  # fmt: skip
    assert "`course runtime install toy`" in str(found["problem"])
    said = toy.course("runtime", "list", COLUMNS="80").stdout
    assert max(map(len, said.splitlines())) <= 80 + len(sys.executable)
    assert "✓ `own`" in said
    assert "○ `toy`" in said


@pytest.mark.live
def test_what_is_half_made_is_listed_as_that(toy: Toy) -> None:
    folder = half_made(toy)
    found = listed(toy)["toy"]
    assert found["health"] == "incomplete"
    assert isinstance(found["size"], int)
    assert found["size"] > 4000
    done = toy.course("runtime", "remove", "toy", "--yes")
    assert done.returncode == 0
    assert not folder.exists()
    assert "Nothing is installed" in toy.course("runtime", "remove", "toy").stdout


def half_made(toy: Toy) -> Path:
    toy.runtimes.mkdir()
    # The name that it tells us itself, in the question that it asks.
    from course.runs.environment import runtime
    from course.runs.environment.runtime import Recipe

    recipe = Recipe(toy.lessons / "runtimes" / "toy.txt", 0, 0)
    folder = toy.runtimes / f"toy-{runtime.digest(recipe)}"
    (folder / "wheels").mkdir(parents=True)
    (folder / "wheels" / "some.whl").write_bytes(b"." * 5000)
    return folder


def test_what_is_broken_is_listed_with_the_reason(toy: Toy) -> None:
    folder = half_made(toy)
    noted = {"format": 1, "python": str(folder / "python"), "version": "3.12.1", "size": 7}
    noted["packages"] = {"sentence": "1.5"}
    noted["site"] = [str(library(folder / "site", "1.5")), str(library(folder, "3.0", "datasets"))]
    (folder / COMPLETE).write_text(json.dumps(noted))
    found = listed(toy)["toy"]
    assert (found["health"], found["size"]) == ("broken", 7)
    assert "is damaged (" in str(found["problem"])
    (folder / "python").write_text("#!/bin/sh\nexit 1\n")
    (folder / "python").chmod(0o755)
    found = listed(toy)["toy"]
    assert found["health"] == "broken"
    assert "does not start. Run `course runtime install toy`." in str(found["problem"])
    assert found["versions"] == {"python": "3.12.1", "sentence": "1.5", "datasets": "3.0"}


@pytest.mark.live
def test_an_environment_is_named_listed_and_left_again(toy: Toy, tmp_path: Path) -> None:
    site = library(tmp_path / "site", "1.5")
    library(site, "3.0", "datasets")
    more = {"PYTHONPATH": f"{toy.variables()['PYTHONPATH']}:{site}"}
    done = toy.course("runtime", "use", "toy", sys.executable, **more)
    assert done.returncode == 0, done.stderr
    assert "sentence 1.5" in done.stdout.replace("\n", " ")
    found = listed(toy)["toy"]
    assert (found["health"], found["source"], found["size"]) == ("ok", "named", None)
    # It is theirs: it is not ours to delete.
    done = toy.course("runtime", "remove", "toy", "--yes")
    assert "Nothing is installed for `toy`" in done.stdout
    # It was changed, and then went away.
    (site / "sentence-1.5.dist-info" / "METADATA").write_text("Name: sentence\nVersion: 0.9\n")
    found = listed(toy)["toy"]
    assert found["health"] == "broken"
    assert "cannot run with `sentence 0.9 (>=1.0,<2)`" in str(found["problem"])
    noted = toy.runtimes / NAMED
    noted.write_text(noted.read_text().replace(sys.executable, "/no/such/python"))
    found = listed(toy)["toy"]
    assert (found["health"], found["python"]) == ("broken", "/no/such/python")
    done = toy.course("runtime", "use", "toy", "--default")
    assert "in the default environment" in done.stdout
    assert listed(toy)["toy"]["health"] == "missing"


def test_for_our_own_environment_there_is_nothing_to_install(toy: Toy) -> None:
    done = toy.course("runtime", "install", "own", "--json")
    assert json.loads(done.stdout) == {
        "format": 1, "framework": "own", "python": sys.executable, "size": None, "made": False,
    }  # fmt: skip


def test_on_a_terminal_it_asks_and_takes_no_for_an_answer(toy: Toy) -> None:
    command, *words = toy.command("run", "toy-1")
    terminal = pexpect.spawn(
        command, words, env=toy.variables(TERM="xterm"), cwd=str(toy.folder), encoding="utf-8",
        dimensions=(24, 100), timeout=20,
    )  # fmt: skip
    terminal.expect("Install the environment for")
    terminal.expect("is about 1 MB")
    terminal.sendline("n")
    terminal.expect("is not installed")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 2
    assert not toy.runtimes.exists()


@pytest.mark.live
def test_on_a_terminal_it_installs_after_a_yes(toy: Toy) -> None:
    more = {"UV_FIND_LINKS": str(toy.wheels), "UV_OFFLINE": "1", "TERM": "xterm"}
    command, *words = toy.command("runtime", "install", "toy")
    terminal = pexpect.spawn(
        command, words, env=toy.variables(**more), cwd=str(toy.folder), encoding="utf-8",
        dimensions=(24, 100), timeout=60,
    )  # fmt: skip
    terminal.expect("to cancel:")
    terminal.sendline("y")
    terminal.expect("Starting Python and its libraries")
    terminal.expect("is ready")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert listed(toy)["toy"]["health"] == "ok"
