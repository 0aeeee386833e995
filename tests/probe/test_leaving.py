"""The end of a process: sooner than Python's, and nothing is lost by it."""

import subprocess
import sys
from pathlib import Path

BEGIN = """
import atexit, gc, sys
from course_probe.serve.leaving import leave_sooner
leave_sooner()
gc.disable()
"""
CYCLE = """
class Keeper:
    pass

keeper = Keeper()
keeper.itself = keeper
keeper.file = open(sys.argv[1], "w")
keeper.file.write("kept")
del keeper
"""


def end(text: str, *arguments: str) -> str:
    """Return what a process prints that begins as one of ours does, and then does this."""
    words = [sys.executable, "-c", BEGIN + text, *arguments]
    root = Path(__file__).parents[2]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=root)
    assert done.stderr == ""
    return done.stdout


def test_what_is_left_open_in_a_cycle_is_written(tmp_path: Path) -> None:
    end(CYCLE, str(tmp_path / "log"))
    assert (tmp_path / "log").read_text() == "kept"


def test_what_is_registered_is_called_before_and_may_write(tmp_path: Path) -> None:
    late = CYCLE.replace('write("kept")', 'write("kept")\natexit.register(keeper.file.write, "!")')
    assert end(late + "atexit.register(print, 'bye')", str(tmp_path / "log")) == "bye\n"
    assert (tmp_path / "log").read_text() == "kept!"


def test_cycles_are_left_unless_the_script_has_a_finalizer() -> None:
    told = (
        "import gc\natexit.register(lambda: None)\nclass Last:\n    def go(self): print('gone')\n"
    )
    cycle = "last = Last()\nlast.itself = last\ndel last\n"
    assert end(told + cycle) == ""
    assert end(told.replace("def go", "def __del__") + cycle) == "gone\n"


def test_a_value_whose_class_has_a_finalizer_goes_as_ever() -> None:
    kind = "class Bar:\n    def __del__(self): print('gone')\nbar = Bar()\nbar.itself = bar\n"
    hidden = f"made = {{}}\nexec({kind!r}, made)\n"
    assert end(hidden + "bar = made['bar']\ndel made\n") == "gone\n"
