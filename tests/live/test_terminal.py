"""A learner at a terminal: start, watch, saves by real editors, until the script trains, in zh.

The session runs on a pseudo-terminal of 80 columns and is drawn by a terminal emulator, so that
what is asserted is what a learner would see. It is kept as an asciicast (asciinema's format, see
https://docs.asciinema.org/manual/asciicast/v2/) in the file that `COURSE_CAST` names.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import pexpect
import pyte
import pytest

from course.lesson import lesson
from tests.command import CLEAN, ROOT, course, listed

PART = lesson.load("ch8-4").parts["pt"]
COLUMNS, LINES = 80, 24


class Terminal:
    """A terminal with a command in it: its screen, its keys, its recording."""

    def __init__(
        self,
        *arguments: str,
        program: tuple[str, ...] = ("-m", "course"),
        columns: int = COLUMNS,
        **variables: str,
    ) -> None:
        self.screen = pyte.Screen(columns, LINES)
        self._stream = pyte.Stream(self.screen)
        self._began = time.monotonic()
        self.cast: list[list[object]] = []
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
        target = os.environ.get("COURSE_CAST")
        if target:
            head = {"version": 2, "width": COLUMNS, "height": LINES}
            lines = [json.dumps(entry, ensure_ascii=False) for entry in (head, *self.cast)]
            Path(target).write_text("\n".join(lines) + "\n", encoding="utf-8")

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
        self.cast.append([round(time.monotonic() - self._began, 3), "o", said])
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


def vim(path: Path, *commands: str) -> None:
    """Edit and save as Vim does: it writes a new file and moves the old one out of the way."""
    editor = shutil.which("vim.tiny") or shutil.which("vim")
    if editor is None:
        pytest.skip("vim is not installed")
    script = [word for command in (*commands, "wq") for word in ("-c", command)]
    subprocess.run(
        [editor, "-es", "-u", "NONE", "--cmd", "set nocompatible encoding=utf-8 backupcopy=no",
         *script, str(path)],
        check=True,
    )  # fmt: skip


def sed(path: Path, command: str) -> None:
    """Edit and save by renaming a new file over the old one."""
    subprocess.run(["sed", "-i", command, str(path)], check=True)


def in_place(path: Path, old: str, new: str) -> None:
    """Edit and save into the file itself, as VS Code and nano do."""
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


# The way itself is in `test_session.py`; here are real editors, files that vanish, other sizes.
@pytest.mark.exhaustive
def test_a_learner_gets_from_start_to_healthy_in_zh(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    done = course("start", "ch8-4", str(tmp_path / "练习"), "--lang", "zh", COURSE_STATE=state)
    assert done.returncode == 0
    path = tmp_path / "练习" / "ch8-4-pt.py"
    with Terminal("watch", str(path.parent), "--named", COURSE_STATE=state) as shown:
        shown.until("（missing-input-ids）")
        assert "ch8-4-pt.py" in shown.lines()[0]
        shown.press("h")
        shown.until("第 1 级提示")
        # The first fault, mended in Vim: two places in one save.
        vim(path, '%s/train_dataset=raw/train_dataset=tokenized/',
            "%s/eval_dataset=raw/eval_dataset=tokenized/")  # fmt: skip
        assert shown.until("（length-mismatch）") < 30
        assert "第 1 级提示" not in "\n".join(shown.lines())
        # What is mended may be compared with the lesson's fix.
        shown.press("m")
        shown.until('+    train_dataset=tokenized["train"],')
        # What the script prints is in view, and all of it behind a key.
        in_place(path, "set_seed(42)\n", "set_seed(42)\nfor n in range(30):\n    print('n =', n)\n")
        shown.until("│ n = 29")
        shown.until("（length-mismatch）")
        shown.press("щ")
        shown.until("│ n = 0\n")
        shown.press("ll")
        shown.until("│ n = 29\n")
        # A slip of the pen, saved by renaming; then taken back.
        sed(path, "s/set_seed(42)/set_seed(42/")
        shown.until("SyntaxError")
        sed(path, "s/set_seed(42/set_seed(42)/")
        shown.until("（length-mismatch）")
        # The second fault, by the program's own fix; the window is made smaller and larger.
        shown.child.setwinsize(18, 60)
        shown.screen.resize(18, 60)
        shown.press("f")
        shown.until("+    DataCollatorWithPadding")
        assert all(len(line) <= 60 for line in shown.lines())
        shown.child.setwinsize(LINES, COLUMNS)
        shown.screen.resize(LINES, COLUMNS)
        shown.press("n")
        shown.until("（target-out-of-bounds）")
        assert "DataCollatorWithPadding" in path.read_text()
        # The third, in place; while it trains, a newer save makes that run stale.
        in_place(
            path,
            "from_pretrained(checkpoint)\n\nargs",
            "from_pretrained(checkpoint, num_labels=3)\n\nargs",
        )
        shown.until("912")
        shown.until(lambda text: "⠁" in text or "⡇" in text or "⠉" in text)
        in_place(path, "predictions=logits,", "predictions=logits.argmax(axis=-1),")
        # The file vanishes and comes back, as with some editors and with `git checkout`.
        moved = path.with_suffix(".away")
        path.rename(moved)
        time.sleep(1)
        moved.rename(path)
        shown.press("l")
        shown.until("✓", 150)
        shown.until(lambda text: "●●●●" in text, 150)
        shown.press("q")
        shown.child.expect(pexpect.EOF)
        shown.child.wait()
        assert shown.child.exitstatus == 0
    (exercise,) = listed("ch8-4", COURSE_STATE=state)["exercises"]
    assert exercise["healthy"]
    assert len(exercise["behind"]) == 4


def test_the_walk_asks_first_in_zh(tmp_path: Path) -> None:
    """One run of it: looks of one's own, those of the lesson, guesses, and then what it is."""
    state = str(tmp_path)
    with Terminal("run", "ch8-4", "--lang", "zh", COURSE_STATE=state) as shown:
        # The script is shown on demand, numbered as it runs.
        shown.until(lambda text: text.rstrip().endswith("\n>"))
        assert "trainer.train()" not in "\n".join(shown.lines()[-6:])
        shown.press("s\r")
        shown.until("74  trainer.train()")
        shown.press("\r")
        shown.until("0-5>")
        assert "! transformers" not in "\n".join(shown.lines())
        shown.press("1\r")
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
        shown.until("1-4>")
        assert "['label']" in "\n".join(shown.lines())
        assert "（missing-input-ids）" not in "\n".join(shown.lines())
        shown.press("\r")
        shown.until(lambda text: text.rstrip().endswith("\n>"))
        assert '+    train_dataset=tokenized["train"],' in "\n".join(shown.lines())
        shown.press("type(trainer).__name__\r")
        shown.until("'Trainer'")
        shown.press("\r")
        shown.until("0-5>")
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


def test_a_watch_into_a_pipe_prints_each_verdict(tmp_path: Path) -> None:
    course("start", "ch8-4", str(tmp_path), "--bugs", "length-mismatch")
    path = tmp_path / "ch8-4-pt.py"
    watch = subprocess.Popen(
        [sys.executable, "-m", "course", "watch", str(tmp_path)],
        cwd=ROOT, env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert watch.stdout is not None

    def wait_for(words: str) -> None:
        assert watch.stdout is not None
        for line in watch.stdout:
            if words in line:
                return
        raise AssertionError(words)

    wait_for("(`length-mismatch`)")
    second = course("watch", str(tmp_path))
    assert second.returncode == 2
    assert "is watching `ch8-4-pt.py` already" in second.stderr
    path.write_text(path.read_text().replace("set_seed(42)", "print('mine')\nset_sed(42)"))
    wait_for("│ mine")
    wait_for("NameError")
    watch.terminate()
    assert watch.wait(20) == 143
