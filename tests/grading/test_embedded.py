"""The hub that submissions without questions see: a copy that anybody may read, and clean."""

import os
from pathlib import Path

import pytest

from course.grading.reference import embedded
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub


def test_a_copy_is_for_everybody_to_read_and_holds_nothing_of_learners(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bare: Runtime
) -> None:
    usual = tmp_path / "usual"
    ours = {"hub/model/weights": 0o600, "datasets/glue/train.arrow": 0o400}
    theirs = {"datasets/glue/cache-1.arrow": 0o600, "datasets/x.lock": 0o600, "xla/graph": 0o600}
    # What a metric has counted: a submission's own would have no room beside it.
    theirs |= {"metrics/glue/mrpc/default_experiment-1-0.arrow": 0o600}
    for name, mode in (ours | theirs).items():
        path = usual / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        path.chmod(mode)
    usual.chmod(0o700)
    monkeypatch.setattr(
        embedded.hub, "embedded", lambda _runtime: Hub("embedded", {"HF_HOME": str(usual)})
    )
    before = os.umask(0o077)
    try:
        embedded.copy(bare, tmp_path / "copy" / "hub")
    finally:
        os.umask(before)
    copy = tmp_path / "copy" / "hub"
    found = {str(p.relative_to(copy)): p for p in copy.rglob("*") if p.is_file()}
    assert found.keys() == ours.keys()
    assert all(path.read_text() == name for name, path in found.items())
    assert all(path.stat().st_mode & 0o044 == 0o044 for path in found.values())
    folders = [copy, *(p for p in copy.rglob("*") if p.is_dir())]
    assert all(folder.stat().st_mode & 0o055 == 0o055 for folder in folders)
    # The user's own is as it was.
    assert usual.stat().st_mode & 0o777 == 0o700
