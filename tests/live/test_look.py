"""A learner looks around: a prompt in the stopped script, and the debugger in a run.

The key of a watch is in `test_session.py`.
"""

import json
from pathlib import Path

import pexpect

from tests.command import course
from tests.live.test_terminal import Terminal


def leave(shown: Terminal) -> int:
    shown.child.expect(pexpect.EOF)
    shown.child.wait()
    assert shown.child.exitstatus is not None
    return int(shown.child.exitstatus)


def test_a_learner_looks_around_at_a_terminal(tmp_path: Path) -> None:
    places = {"COURSE_STATE": str(tmp_path / "state")}
    done = course("start", "ch8-4", str(tmp_path / "练习"), "--lang", "zh", **places)
    assert done.returncode == 0
    path = tmp_path / "练习" / "ch8-4-pt.py"
    with Terminal("look", str(path), "--lang", "zh", **places) as shown:
        shown.until(">>>")
        shown.press("tokenizer.vocab_s\t")
        shown.until(">>> tokenizer.vocab_size")
        shown.press("\r")
        shown.until("tokenizer.vocab_size\n561")
        # A line is given up, and so is a look; the prompt stays.
        shown.press("half a li\x03")
        shown.press("import time; time.sleep(600)\r")
        shown.until("sleep(600)")
        shown.listen(0.5)
        shown.press("\x03")
        shown.until("KeyboardInterrupt")
        # The look of the lesson by its number, then a line of the history.
        shown.press("1\r")
        shown.until("'hypothesis'")
        shown.press("\x1b[A\x1b[A\x1b[A\r")
        shown.until(lambda text: text.count("tokenizer.vocab_size\n561") == 2)
        shown.press("\x04")
        assert leave(shown) == 0
    text = path.read_text()
    marked = text.replace("tokenized = raw", "breakpoint()\ntokenized = raw")
    asking = marked.replace("set_seed(42)\n", "set_seed(int(input('seed? ')))\n", 1)
    assert text != marked != asking
    path.write_text(asking)
    with Terminal("run", str(path), "--lang", "zh", **places) as shown:
        shown.until("seed?")
        shown.press("42\r")
        shown.until("-> breakpoint()\n(Pdb)")
        shown.press("p checkpoint\r")
        shown.until("'distilbert-base-uncased'\n(Pdb)")
        shown.press("c\r")
        shown.until("（missing-input-ids）")
        assert leave(shown) == 1


def test_a_script_of_ones_own_is_looked_into(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def half(n):\n    return n / (n - n)\n\n\nhalf(41)\n")
    done = course("look", str(path), "n + 1")
    assert (done.returncode, done.stdout) == (0, "42\n")
    document = json.loads(course("look", str(path), "n", "--json").stdout)
    assert document["stopped"]["line"] == 2
    assert document["looks"][0]["output"] == "41"
    raised = course("look", str(path), "nothing")
    assert raised.returncode == 1
    assert "NameError" in raised.stdout
