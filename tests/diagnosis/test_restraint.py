"""What a script that is diagnosed does to the files that lie outside of the copy of its folder."""

import subprocess
import sys
from pathlib import Path

from tests.command import ROOT

HEAD = """
import os, shutil, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from course_probe.diagnosis.restraint import Restraint
os.chdir({copy!r})
Restraint(Path({scratch!r}), Path({copy!r})).install()
outside = Path({outside!r})
"""


def run(tmp_path: Path, text: str) -> subprocess.CompletedProcess[str]:
    for name in ("copy", "scratch", "outside", "outside/folder"):
        (tmp_path / name).mkdir()
    (tmp_path / "outside/mine.txt").write_text("mine")
    (tmp_path / "outside/folder/deep.txt").write_text("deep")
    places = {name: str(tmp_path / name) for name in ("copy", "scratch", "outside")}
    return subprocess.run(
        [sys.executable, "-c", HEAD.format(root=str(ROOT), **places) + text],
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
        "os.remove(outside / 'mine.txt')\n(outside / 'mine.txt').unlink()\n"
        "shutil.rmtree(outside / 'folder')\nos.rename(outside / 'mine.txt', outside / 'b.txt')\n"
        "shutil.move(str(outside / 'mine.txt'), 'here.txt')\nprint(open('here.txt').read())\n",
    )
    assert (done.returncode, done.stdout) == (0, "mine\n"), done.stderr
    assert left(tmp_path) == UNTOUCHED


def test_nothing_outside_is_written_from_another_folder_either(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        "os.chdir(outside)\nopen('mine.txt', 'w').write('x')\nPath('new.txt').touch()\n"
        "os.mkdir('made')\nos.remove('mine.txt')\n",
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
