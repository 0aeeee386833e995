"""What a diagnosis tells of the statements that fail one behind the other."""

import ast
import io
from pathlib import Path

from course_probe.diagnosis import onward
from course_probe.event_log import EventLog
from course_probe.serve.script import ScriptStatement


def told(text: str, folder: Path) -> list[str]:
    """Return the failures that are reported of a script, by their messages."""
    names: dict[str, object] = {}
    statements = [ScriptStatement(node, folder / "mine.py", names) for node in ast.parse(text).body]
    found: list[str] = []
    log = EventLog(io.StringIO(), str(folder / "stop"))
    onward.execute(statements, log, lambda error: found.append(str(error)))
    return found


def test_what_lacks_a_name_that_an_import_has_not_brought_is_not_told_again(tmp_path: Path) -> None:
    lacking = "from os import path, no_such_name\n"
    first, *more = told(f"{lacking}path.join('a')\nno_such_name()\n", tmp_path)
    assert "no_such_name" in first
    assert more == []


def test_what_lacks_another_name_is_told(tmp_path: Path) -> None:
    found = told("from os import path, no_such_name\nanother_name()\n", tmp_path)
    assert len(found) == 2


WRITES = """
where = "model.pt"
def keep():
    int("no")
    open("history.json", "w").write("{}")
try:
    for number in range(2):
        keep()
        open(where, "w").write("weights")
except KeyboardInterrupt:
    pass
"""


def test_what_lacks_a_file_that_the_failed_lines_would_have_written_is_not_told_again(
    tmp_path: Path,
) -> None:
    reads = "open('model.pt')\nopen('history.json')\n"
    assert told(WRITES + reads, tmp_path) == ["invalid literal for int() with base 10: 'no'"]
    *_, last = told(WRITES + "open('data.csv')\n", tmp_path)
    assert "data.csv" in last
