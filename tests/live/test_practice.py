"""`course practice`: a drill in a terminal."""

import json
from pathlib import Path

from tests.command import course
from tests.live.test_terminal import Terminal


def test_a_drill_is_asked_and_answered_in_ru(tmp_path: Path) -> None:
    state = str(tmp_path)
    with Terminal("practice", "--count", "1", "--lang", "ru", COURSE_STATE=state) as shown:
        shown.until(lambda text: text.rstrip().endswith(("1-3>", "1-4>")))
        shown.press("s\r")
        shown.until("%%")
        shown.press("1\r")
        shown.until(lambda text: text.rstrip().endswith(("1-3>", "1-4>")) or "1 из 1" in text)
        shown.press("\r")
        shown.until("из 1")
        shown.child.wait()
        assert shown.child.exitstatus == 0
    (card,) = json.loads(course("practice", "--json", COURSE_STATE=state).stdout)["faults"]
    assert card["seen"] == 1
    assert card["box"] == card["right"]


def test_without_a_terminal_it_says_so() -> None:
    done = course("practice")
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr
