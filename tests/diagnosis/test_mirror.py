"""The copy that a diagnosis runs in: what is there, and that nothing of it stays."""

from pathlib import Path

import pytest

from course.diagnosis import mirror as mirrors
from course.diagnosis.mirror import mirror


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "project" / "data").mkdir(parents=True)
    (tmp_path / "project" / "train.py").write_text("import helper\n")
    (tmp_path / "project" / "helper.py").write_text("x = 1\n")
    (tmp_path / "project" / "data" / "a.csv").write_text("1,2\n")
    (tmp_path / "project" / ".git").mkdir()
    (tmp_path / "project" / "wandb").mkdir()
    return tmp_path / "project"


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_what_is_written_to_the_copy_is_gone_and_the_folder_as_it_was(home: Path) -> None:
    before = files(home)
    with mirror(home, home) as copies:
        assert (copies.home / "helper.py").read_text() == "x = 1\n"
        assert (copies.folder / "data" / "a.csv").read_text() == "1,2\n"
        assert not (copies.home / ".git").exists()
        assert not (copies.home / "wandb").exists()
        (copies.home / "helper.py").write_text("changed")
        (copies.folder / "data" / "out.pt").write_text("weights")
        top = copies.scratch.parent
    assert not top.exists()
    assert files(home) == before
    assert (home / "helper.py").read_text() == "x = 1\n"


def test_a_script_in_a_folder_below_keeps_its_place(home: Path) -> None:
    with mirror(home / "data", home) as copies:
        assert copies.home == copies.folder / "data"


def test_a_script_elsewhere_has_its_own_copy(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.csv").write_text("3\n")
    with mirror(home, other) as copies:
        assert (copies.folder / "b.csv").exists()
        assert (copies.home / "train.py").exists()


def test_a_script_in_a_folder_that_is_left_out_is_copied_all_the_same(home: Path) -> None:
    hidden = home / ".hidden"
    hidden.mkdir()
    (hidden / "train.py").write_text("x = 1\n")
    with mirror(hidden, home) as copies:
        assert (copies.home / "train.py").exists()


def test_large_data_are_linked_to(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirrors, "LARGE", 3)
    with mirror(home, home) as copies:
        assert (copies.folder / "data" / "a.csv").is_symlink()
        assert (copies.folder / "data" / "a.csv").read_text() == "1,2\n"
