"""Writing so that nothing is lost: killed at every instant, on a full disk, through a link."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from course.base import files
from tests.command import CLEAN, ROOT
from tests.killing import killed_at_each_instant

OLD, NEW = b"old\r\n" * 1000, b"new\n" * 1000


@pytest.mark.live
def test_a_crash_at_any_instant_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(OLD)
    seen = []
    for _instant in killed_at_each_instant(lambda: files.write(path, NEW)):
        seen.append(path.read_bytes())
        path.write_bytes(OLD)
    assert path.read_bytes() == NEW
    assert set(seen) == {OLD, NEW}
    assert len(seen) > 10


def test_a_full_disk_leaves_the_old_and_nothing_else(tmp_path: Path) -> None:
    script = (
        f"mount -t tmpfs -o size=64k none {tmp_path} && cd {tmp_path} && echo -n old > kept && "
        f"dd if=/dev/zero of=filler bs=1k count=62 2>/dev/null; PYTHONPATH={ROOT} "
        f"{sys.executable} -c 'from pathlib import Path; from course.base import files; "
        f'files.write(Path("kept"), b"x" * 30000)\' 2>&1 | tail -n 1; cat kept; echo; ls -A'
    )
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", script], env=CLEAN, capture_output=True, text=True
    )
    assert "No space left on device: 'kept'" in done.stdout
    assert done.stdout.splitlines()[1:] == ["old", "filler", "kept"]


def test_the_permissions_stay_and_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(OLD)
    target.chmod(0o640)
    link.symlink_to(target)
    files.write(link, NEW)
    assert link.is_symlink()
    assert target.read_bytes() == NEW
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link", "target"]


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        files.write(tmp_path / "new", NEW)
        files.create(tmp_path / "made", NEW)
    finally:
        os.umask(before)
    assert {p.stat().st_mode & 0o777 for p in tmp_path.iterdir()} == {0o644}


def test_what_exists_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(OLD)
    with pytest.raises(FileExistsError):
        files.create(path, NEW)
    assert path.read_bytes() == OLD


@pytest.mark.live
def test_a_file_that_is_made_and_a_crash(tmp_path: Path) -> None:
    """A new file may be left unfinished by a crash, but what was there before never suffers."""
    path = tmp_path / "made"
    for _instant in killed_at_each_instant(lambda: files.create(path, NEW)):
        assert NEW.startswith(path.read_bytes() if path.exists() else b"")
        path.unlink(missing_ok=True)
    assert path.read_bytes() == NEW


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions")
def test_everybody_may_read_what_is_shared(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    script = shared / "deep" / "er" / "run"
    script.parent.mkdir(parents=True)
    script.write_text("x")
    script.chmod(0o700)
    secret = shared / "data"
    secret.write_text("y")
    secret.chmod(0o600)
    for folder in (shared, shared / "deep", shared / "deep" / "er"):
        folder.chmod(0o700)
    files.let_all_read(shared)
    modes = {p.name: p.stat().st_mode & 0o777 for p in (shared, *shared.rglob("*"))}
    assert modes == {"shared": 0o755, "deep": 0o755, "er": 0o755, "run": 0o744, "data": 0o644}
