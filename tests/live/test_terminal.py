"""A learner at a terminal: the walk in zh, and Ctrl-C in a watch.

Commands run on a pseudo-terminal of 80 columns that is drawn by a terminal emulator, so that what
is asserted is what a learner would see.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import pexpect
import pyte

from tests.command import CLEAN, ROOT, course

COLUMNS, LINES = 80, 24


class Terminal:
    """A terminal with a command in it: its screen and its keys."""

    def __init__(
        self,
        *arguments: str,
        program: tuple[str, ...] = ("-m", "course"),
        columns: int = COLUMNS,
        **variables: str,
    ) -> None:
        self.screen = pyte.Screen(columns, LINES)
        self._stream = pyte.Stream(self.screen)
        self.child = pexpect.spawn(
            sys.executable,
            [*program, *arguments],
            cwd=str(ROOT),
            env={**CLEAN, "TERM": "xterm-256color", **variables},
            encoding="utf-8",
            dimensions=(LINES, columns),
        )

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if error is not None:
            print("\n".join(self.lines()))
        self.child.close(force=True)

    def lines(self) -> list[str]:
        # Not `display`, which can't do with half of a wide character, as a new size leaves it.
        rows = (self.screen.buffer[y] for y in range(self.screen.lines))
        cells = range(self.screen.columns)
        return ["".join(row[x].data for x in cells).rstrip() for row in rows]

    def listen(self, seconds: float = 0.05) -> None:
        """Take in what the command writes."""
        try:
            said = self.child.read_nonblocking(65536, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self._stream.feed(said)

    def until(self, seen: Callable[[str], bool] | str, seconds: float = 90) -> float:
        """Wait until the screen shows a text, or is as a function wants it; the seconds it took."""
        began = time.monotonic()
        # A terminal emulator puts an empty cell after each wide character.
        while True:
            shown = "\n".join(self.lines())
            if seen in shown if isinstance(seen, str) else seen(shown):
                return time.monotonic() - began
            assert time.monotonic() - began < seconds, shown
            self.listen()

    def press(self, keys: str) -> None:
        self.child.send(keys)


def in_place(path: Path, old: str, new: str) -> None:
    """Edit and save into the file itself, as VS Code and nano do."""
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_the_walk_asks_first_in_zh(tmp_path: Path) -> None:
    """One run of it: looks of one's own, those of the lesson, guesses, and then what it is."""
    state = str(tmp_path)
    with Terminal("run", "ch8-4", "--lang", "zh", COURSE_STATE=state) as shown:
        # The script is shown on demand, numbered as it runs.
        shown.until(lambda text: text.rstrip().endswith("\n>"))
        assert "trainer.train()" not in "\n".join(shown.lines()[-6:])
        shown.press("s\r")
        # It is longer than the screen, so it is read in the pager.
        shown.until(lambda text: text.rstrip().endswith("\n:"))
        shown.press("G")
        shown.until("74  trainer.train()")
        shown.press("q")
        shown.until(lambda text: text.rstrip().endswith("\n>"))
        shown.press("\r")
        shown.until("1-6>")
        assert "! transformers" not in "\n".join(shown.lines())
        shown.press("2\r")
        shown.until("0/3>")
        first = "\n".join(shown.lines())
        assert "ValueError" in first
        assert "missing-input-ids" not in first
        shown.press("数据 在哪里\r")
        shown.until("Python")
        shown.press("len(raw['train'])\r")
        shown.until("2430")
        shown.press("raw['no such']\r")
        shown.until("KeyError")
        shown.press("好\r")
        shown.until("1/3>")
        shown.press("3\r")
        shown.until("2/3>")
        assert "['label']" in "\n".join(shown.lines())
        shown.press("\r")
        shown.until("1-4>")
        assert "（missing-input-ids）" not in "\n".join(shown.lines())
        shown.press("\r")
        # The fault and its fix are each a page.
        shown.until(lambda text: "（missing-input-ids）" in text and text.rstrip().endswith("\n>"))
        shown.press("\r")
        shown.until('+    train_dataset=tokenized["train"],')
        shown.until(lambda text: text.rstrip().endswith("\n>"))
        shown.press("type(trainer).__name__\r")
        shown.until("'Trainer'")
        shown.press("\r")
        shown.until(lambda text: "MISSING" in text and text.rstrip().endswith("\n>"))
        shown.press("\r")
        shown.until("2/6")
        shown.until("1-6>")
        assert "expected sequence of length" in "\n".join(shown.lines())
        shown.press("q\r")
        shown.child.expect(pexpect.EOF)
        shown.child.wait()
        assert shown.child.exitstatus == 0
    told = json.loads(course("list", "--json", COURSE_STATE=state).stdout)["lessons"]
    (walk,) = (each["frameworks"]["pt"]["walk"] for each in told if each["lesson"] == "ch8-4")
    assert walk["step"] == "length-mismatch"
    # It goes on where it was left.
    with Terminal("run", "ch8-4", "--lang", "zh", COURSE_STATE=state) as shown:
        shown.until(lambda text: text.rstrip().endswith("\n>"))
        shown.press("\r")
        shown.until("2/6")


def test_ctrl_c_leaves_the_terminal_as_it_was_and_no_run(tmp_path: Path) -> None:
    from tests.live.test_trouble import probes, wait_for

    course("start", "ch8-4", str(tmp_path), "--bugs", "none")
    with Terminal("watch", str(tmp_path), "--lang", "ru") as shown:
        shown.until("912")
        shown.press("\x03")
        shown.child.expect(pexpect.EOF)
        shown.child.wait()
        assert shown.child.exitstatus == 130
        said = shown.child.before or ""
        # The screen of its own is left, and the cursor is back.
        assert "\x1b[?1049l" in said
        assert said.rfind("\x1b[?25h") > said.rfind("\x1b[?25l")
    wait_for(lambda: not probes(), 10)
