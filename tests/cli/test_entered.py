"""How many files of ours one command passes through: what its reader has to follow."""

import json
from pathlib import Path

import pytest

from course.base import paths
from tests.command import python

MOST = 35
"""Modules of `course` in which one page of subtitles may call a function."""
LOADED = 64
"""Modules of `course` that it may import, those among them that it only takes a name from."""
TRACED = """
import json, sys
entered = set()

def call(frame, event, _argument):
    code = frame.f_code
    # A class's body runs where its module is imported, and is no function.
    if event == "call" and code.co_flags & 1 and code.co_name != "<module>":
        entered.add(code.co_filename)

sys.setprofile(call)
from course.__main__ import main
try:
    main()
except SystemExit as left:
    sys.setprofile(None)
    loaded = {getattr(module, "__file__", None) for module in [*sys.modules.values()]}
    print(json.dumps([left.code, sorted(entered), sorted(filter(None, loaded))]))
"""


def passed(*arguments: str) -> tuple[set[str], set[str]]:
    """Return our modules that a command enters and those that it loads; both by their paths."""
    done = python("-c", TRACED, *arguments)
    status, *both = json.loads(done.stdout)
    assert status == 0, done.stderr
    ours = (
        {name for name in names if name.startswith(f"{paths.PACKAGE}/") and name.endswith(".py")}
        for names in both
    )
    entered, loaded = ours
    return entered, loaded


@pytest.mark.live
def test_one_page_passes_few_of_our_files(tmp_path: Path) -> None:
    words = ("subtitles", "page", "ch8-4", "-o", str(tmp_path / "page.html"))
    # The first command after a change reads the catalogue, and keeps it for all others.
    passed(*words)
    entered, loaded = passed(*words)
    assert len(entered) <= MOST, sorted(entered)
    assert len(loaded) <= LOADED, sorted(loaded)
