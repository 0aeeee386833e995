"""Which environment a framework's lessons run in, and what is said where there is none."""

import importlib.util
import json
import os
import re
import sys
from pathlib import Path

import pytest

from course.base import paths
from course.base.errors import UserError
from course.lesson import lesson
from course.runs.environment import runtime, user_environment
from course.runs.environment.runtime import COMPLETE, RuntimeMissing, find
from tests.runs.environment.toy import Toy

REQUIRES = ("sentence>=1.0,<2",)
posix = pytest.mark.skipif(os.name == "nt", reason="a script of a shell passes for a Python")


def library(folder: Path, version: str, name: str = "sentence") -> Path:
    """Make a folder with what an installer notes of a library."""
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return folder


def pretend(toy: Toy, version: str = "1.5", *, complete: bool = True) -> Path:
    """Make an environment that looks as if it had been installed; its folder."""
    recipe = runtime.describe("toy").recipe
    assert recipe is not None
    folder = runtime.folder_of("toy", recipe)
    site = library(folder / "env" / "site", version)
    (folder / "env" / "python").symlink_to(sys.executable)
    noted = {"format": 1, "python": str(folder / "env" / "python"), "version": "3.12.1"}
    noted |= {"site": [str(site)], "size": 5, "packages": {"sentence": "1.5"}}  # type: ignore[dict-item]
    if complete:
        (folder / COMPLETE).write_text(json.dumps(noted))
    return folder


def test_what_ships_is_in_order() -> None:
    known = runtime.frameworks()
    described = {name: runtime.describe(name) for name in known}
    used = {fw for name in lesson.ids() for fw in lesson.load(name).parts}
    assert used <= set(known)
    assert [d.recipe is None for d in described.values()].count(True) == 1
    for name, each in described.items():
        compile(each.cuda, name, "exec")
        if each.recipe is not None:
            assert each.recipe.pins.is_file()
            assert each.recipe.download < each.recipe.installed


def test_the_own_environment_is_read_as_it_is(toy: Toy) -> None:
    found = find("own", ["packaging>=20,<999"])
    assert found.python == sys.executable
    assert set(found.versions) == {"python", "packaging"}
    assert any((Path(folder) / "packaging").is_dir() for folder in found.site)


def test_a_range_has_two_ends(toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(library(tmp_path / "new", "2.0rc1")))
    assert find("own", ["sentence>=1"]).versions["sentence"] == "2.0rc1"
    with pytest.raises(UserError, match=r"cannot run with `sentence 2.0rc1 \(>=1,<1.9\)`\. Run `"):
        find("own", ["sentence>=1,<1.9"])


def test_a_version_that_is_none_does_not_fit(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(library(tmp_path / "odd", "of-today")))
    with pytest.raises(UserError, match="cannot run with `sentence of-today"):
        find("own", REQUIRES)


def test_what_is_not_installed_is_missing(toy: Toy) -> None:
    with pytest.raises(
        RuntimeMissing, match=r"is not installed\. `course runtime install toy`"
    ) as raised:
        find("toy", REQUIRES)
    assert raised.value.framework == "toy"
    assert "1 MB to download, 20 MB on disk" in str(raised.value)


def test_what_is_installed_is_read_without_being_started(toy: Toy) -> None:
    folder = pretend(toy)
    found = find("toy", REQUIRES)
    assert found.python == str(folder / "env" / "python")
    assert found.versions == {"python": "3.12.1", "sentence": "1.5"}
    assert found.site == (str(folder / "env" / "site"),)


def test_what_is_half_made_is_never_used(toy: Toy) -> None:
    pretend(toy, complete=False)
    with pytest.raises(RuntimeMissing):
        find("toy", REQUIRES)


def test_a_note_that_cannot_be_read_counts_for_nothing(toy: Toy) -> None:
    folder = pretend(toy)
    for text in ("", "[]", "{", '{"format": 2}', '{"format": 1}'):
        (folder / COMPLETE).write_text(text)
        (toy.runtimes / runtime.NAMED).write_text(text)
        with pytest.raises(RuntimeMissing):
            find("toy", REQUIRES)


def test_another_list_is_another_environment(toy: Toy) -> None:
    pretend(toy)
    toy.lines.append("more==1 --hash=sha256:00\n")
    toy.write()
    with pytest.raises(RuntimeMissing):
        find("toy", REQUIRES)


def test_line_endings_make_no_other_environment(toy: Toy) -> None:
    folder = pretend(toy)
    pins = toy.lessons / "runtimes" / "toy.txt"
    pins.write_bytes(pins.read_bytes().replace(b"\n", b"\r\n"))
    assert find("toy", REQUIRES).python.startswith(str(folder))


def test_an_environment_whose_python_went_away_is_to_be_made_anew(toy: Toy) -> None:
    python = pretend(toy) / "env" / "python"
    python.unlink()
    python.symlink_to("/no/such/python3.11")
    with pytest.raises(RuntimeMissing, match=r"is damaged \(`/no/such/python3.11`\)"):
        find("toy", REQUIRES)


def test_an_environment_that_was_changed_is_to_be_made_anew(toy: Toy) -> None:
    pretend(toy, "2.5")
    with pytest.raises(RuntimeMissing, match=r"is damaged \(`sentence 2.5 \(>=1.0,<2\)`\)"):
        find("toy", REQUIRES)


def test_what_the_list_does_not_hold_is_added_by_hand(toy: Toy) -> None:
    python = pretend(toy) / "env" / "python"
    with pytest.raises(UserError, match=f'run `{python} -m pip install "sentence>=1"') as raised:
        find("toy", ["sentence>=1", "more>=2"])
    assert not isinstance(raised.value, RuntimeMissing)


@pytest.mark.parametrize("has_pip", [True, False])
def test_where_there_is_no_pip_uv_is_named(
    toy: Toy, monkeypatch: pytest.MonkeyPatch, has_pip: bool
) -> None:
    """`uv tool install` makes environments without pip."""
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: (object() if has_pip else None) if name == "pip" else real(name),
    )
    python = re.escape(sys.executable)
    command = f"{python} -m pip install" if has_pip else f"uv pip install --python {python}"
    with pytest.raises(UserError, match=f'run `{command} "more>=2"'):
        find("own", ["more>=2"])


# Environments that the user names


def test_a_named_environment_goes_before_an_installed_one(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(toy)
    monkeypatch.setenv("PYTHONPATH", str(library(tmp_path / "site", "1.7")))
    user_environment.use("toy", sys.executable, REQUIRES)
    found = find("toy", REQUIRES)
    assert (found.python, found.versions["sentence"]) == (sys.executable, "1.7")
    assert str(tmp_path / "site") in found.site
    assert user_environment.forget("toy")
    assert find("toy", REQUIRES).versions["sentence"] == "1.5"
    assert not user_environment.forget("toy")


def test_the_own_environment_gives_way_to_a_named_one_as_well(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(library(tmp_path / "site", "1.7")))
    user_environment.use("own", sys.executable, REQUIRES)
    user_environment.use("toy", sys.executable, REQUIRES)
    assert find("own", REQUIRES).versions["sentence"] == "1.7"
    user_environment.forget("toy")
    assert find("own", REQUIRES).versions["sentence"] == "1.7"


@posix
def test_a_folder_may_be_named_in_the_place_of_its_python(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(library(tmp_path / "site", "1.7")))
    folder = tmp_path / "环境 env"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "bin" / "python").chmod(0o755)
    # What starts is kept, not what it says of itself.
    assert user_environment.use("toy", str(folder), REQUIRES).python == str(
        folder / "bin" / "python"
    )


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("0.5", r"does not have what the lessons need \(`sentence 0.5 \(>=1.0,<2\)`\)"),
        ("", r"does not have what the lessons need \(`sentence>=1.0,<2`\)"),
    ],
)
def test_an_environment_that_lacks_something_is_not_taken(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, says: str
) -> None:
    if version:
        monkeypatch.setenv("PYTHONPATH", str(library(tmp_path / "site", version)))
    with pytest.raises(UserError, match=says):
        user_environment.use("toy", sys.executable, REQUIRES)
    assert runtime.named_entry("toy") is None


def test_modules_in_the_current_folder_do_not_mislead(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    library(here, "1.7")
    (here / "json.py").write_text("raise SystemExit(1)\n")
    monkeypatch.chdir(here)
    with pytest.raises(UserError, match="does not have what the lessons need"):
        user_environment.use("toy", sys.executable, REQUIRES)


@posix
@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho hello\n", "nonsense"])
def test_a_program_that_is_no_python_is_not_taken(toy: Toy, tmp_path: Path, text: str) -> None:
    program = tmp_path / "python"
    program.write_text(text)
    program.chmod(0o755)
    with pytest.raises(UserError, match="is not a Python interpreter, or does not start"):
        user_environment.use("toy", str(program), REQUIRES)


def test_a_folder_without_a_python_is_not_taken(toy: Toy, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(UserError, match="is not a Python interpreter"):
            user_environment.use("toy", str(path), REQUIRES)


@posix
def test_a_python_that_is_too_old_is_not_taken(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python"
    said = {"release": "3.9.2", "site": [str(library(tmp_path / "site", "1.7"))]}
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(said)}\nEND\n")
    program.chmod(0o755)
    with pytest.raises(UserError, match=r"`python 3.9.2 \(>=3.11\)`"):
        user_environment.use("toy", str(program), REQUIRES)


def test_a_named_environment_that_is_gone_is_said_to_be(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(library(tmp_path / "site", "1.7")))
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    user_environment.use("toy", str(link), REQUIRES)
    os.unlink(link)
    with pytest.raises(UserError, match=r"no longer exists: `.*use toy --default") as raised:
        find("toy", REQUIRES)
    assert not isinstance(raised.value, RuntimeMissing)


def test_where_runtimes_lie_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COURSE_RUNTIMES", str(tmp_path / "环境"))
    assert paths.runtimes() == tmp_path / "环境"
    monkeypatch.delenv("COURSE_RUNTIMES")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert paths.runtimes().is_relative_to(tmp_path)
    monkeypatch.setattr("platformdirs.user_data_path", lambda *a, **k: Path("~/x/course"))
    assert paths.runtimes() == paths.temporary() / "runtimes"
