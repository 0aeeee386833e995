"""What a script that is diagnosed does to the files that lie outside of the copy of its folder."""

import subprocess
import sys
from pathlib import Path

import pytest

from course.diagnosis.mirror import mirror
from tests.command import ROOT

HEAD = """
import os, shutil, sys
from pathlib import Path
sys.path.insert(0, {code!r})
from course_probe.diagnosis.restraint import Restraint
os.chdir({copy!r})
Restraint(Path({scratch!r}), Path({root!r})).install()
outside = Path({outside!r})
"""


def run(tmp_path: Path, text: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "outside/folder").mkdir(parents=True)
    (tmp_path / "project/script").mkdir(parents=True)
    (tmp_path / "outside/mine.txt").write_text("mine")
    (tmp_path / "outside/folder/deep.txt").write_text("deep")
    home = tmp_path / "project/script"
    with mirror(home, home) as copies:
        places = {
            "copy": str(copies.folder),
            "scratch": str(copies.scratch),
            "root": str(copies.root),
            "outside": str(tmp_path / "outside"),
        }
        return subprocess.run(
            [sys.executable, "-c", HEAD.format(code=str(ROOT), **places) + text],
            capture_output=True,
            encoding="utf-8",
        )


def left(tmp_path: Path) -> dict[str, str]:
    outside = tmp_path / "outside"
    return {
        str(each.relative_to(outside)): each.read_text()
        for each in sorted(outside.rglob("*"))
        if each.is_file()
    }


UNTOUCHED = {"folder/deep.txt": "deep", "mine.txt": "mine"}


def test_nothing_outside_is_removed_or_moved(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        "shutil.rmtree(outside / 'folder')\nos.rename(outside / 'mine.txt', outside / 'b.txt')\n"
        "shutil.move(str(outside / 'b.txt'), 'here.txt')\nprint(open('here.txt').read())\n"
        "print(os.listdir(outside), (outside / 'mine.txt').exists())\n"
        "os.replace('here.txt', outside / 'mine.txt')\n"
        "print((outside / 'mine.txt').read_text())\n(outside / 'mine.txt').unlink()\n"
        "print(os.path.exists(outside / 'mine.txt'), os.path.isdir(outside / 'folder'))\n"
        "os.remove(outside / 'mine.txt')\n",
    )
    assert done.stdout == "mine\n[] False\nmine\nFalse False\n", done.stderr
    assert done.stderr.rstrip().splitlines()[-1].startswith("FileNotFoundError")
    assert left(tmp_path) == UNTOUCHED


PLAIN = """
import os, glob
from pathlib import Path
os.makedirs(up + "out/a", exist_ok=True)
os.makedirs(up + "out/a", exist_ok=True)
os.makedirs(up + "outside/made", exist_ok=True)
os.makedirs(up + "outside/made", exist_ok=True)
print(open(up + "outside/mine.txt").read(), Path(up, "outside/folder/deep.txt").read_text())
with open(up + "outside/mine.txt", "a") as file:
    file.write(" and more")
print(open(up + "outside/mine.txt").read(), Path(up, "outside", "mine.txt").stat().st_size)
Path(up, "out/a/b.txt").write_text("b")
print(sorted(os.listdir(up + "outside")), glob.glob(up + "out/a/*")[0].rpartition("/")[2])
print([os.path.isdir(up + name) for name in ("out", "outside/made", "nothing")])
with open(up + "outside/folder/deep.txt", "w") as file:
    file.write("new")
print(Path(up, "outside/folder/deep.txt").read_text(), os.path.exists(up + "out/a/b.txt"))
try:
    open(up + "nothing/x.txt", "w")
except FileNotFoundError:
    print("no such folder")
try:
    os.mkdir(up + "outside/made")
except FileExistsError:
    print("there already")
"""


@pytest.mark.parametrize("is_absolute", [False, True])
def test_paths_above_the_folder_work_as_they_do_plainly(
    tmp_path: Path, *, is_absolute: bool
) -> None:
    up = f"up = {str(tmp_path) + '/'!r}" if is_absolute else "up = '../../'"
    done = run(tmp_path, f"{up}\n{PLAIN}")
    assert left(tmp_path) == UNTOUCHED
    assert not (tmp_path / "out").exists()
    plain = subprocess.run(
        [sys.executable, "-c", f"{up}\n{PLAIN}"],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path / "project/script",
    )
    assert (done.stdout, done.returncode) == (plain.stdout, plain.returncode), done.stderr
    assert "there already" in plain.stdout


def test_nothing_outside_is_written_from_another_folder_either(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        "os.chdir(outside)\nopen('mine.txt', 'w').write('x')\nPath('new.txt').touch()\n"
        "os.mkdir('made')\nos.remove('mine.txt')\nprint(sorted(os.listdir('.')))\n",
    )
    assert done.returncode == 0, done.stderr
    assert left(tmp_path) == UNTOUCHED
    assert not (tmp_path / "outside/made").exists()


def test_in_its_copy_a_script_does_as_it_likes(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        "open('a', 'w').close()\nos.rename('a', 'b')\nos.makedirs('c/d')\nPath('c/d/e').touch()\n"
        "shutil.rmtree('c')\nos.remove('b')\nprint(os.listdir())\n",
    )
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
