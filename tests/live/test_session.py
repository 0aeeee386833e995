"""A learner's whole session at a terminal, in each language, at three widths.

Start, a print of one's own, a breakpoint with its debugger, a look, the hints to the last, the
mend, the healthy run: without a line of another language, a word that is cut in two, or a dead end.
"""

import itertools
import re
from pathlib import Path

import pexpect
import pytest

from course.base import paths
from course.base.i18n import po
from course.exercise import guess
from course.lesson.catalogue import catalogue
from tests.command import course, listed
from tests.live.test_terminal import Terminal, in_place
from tests.tiers import sample

BUG = "missing-input-ids"
WIDTHS = (60, 80, 120)
LANGUAGES = ("zh", "ru", "en")
EVERYDAY = ("ru", 80)
CASES = [(lang, width) for lang in LANGUAGES for width in WIDTHS]
ENGLISH = 24
"""Characters of an English sentence of ours that give it away."""
OTHER = {
    "zh": re.compile("[а-яё]{3}", re.IGNORECASE),
    "ru": re.compile("[\u4e00-\u9fff]"),
    "en": re.compile("[а-яё\u4e00-\u9fff]", re.IGNORECASE),
}
WORD = re.compile(r"[^\W\d_]+")


def texts(lang: str) -> dict[str, str]:
    """Our sentences with their translations, but for those that are the same or wait for one."""
    read = po.read(paths.locales() / lang / "course.po")
    return {
        message.id: message.string
        for message in read
        if isinstance(message.id, str)
        and isinstance(message.string, str)
        and message.string not in ("", message.id)
    }


class Reader:
    """Looks at each screen of a session as a learner of a language would."""

    def __init__(self, lang: str, width: int) -> None:
        self._lang, self._width = lang, width
        known = texts(lang) if lang != "en" else {}
        self._english = {
            english[:ENGLISH]
            for english in known
            if len(english) > ENGLISH and not re.search(r"[`{]", english[:ENGLISH])
        }
        self._words = {word for text in known.values() for word in WORD.findall(text)}

    def check(self, shown: Terminal) -> None:
        """Make sure that a screen has only the language, and no word that is cut in two."""
        lines = [line for line in shown.lines() if line.strip()]
        text = "\n".join(lines)
        assert not OTHER[self._lang].search(text), text
        for start in self._english:
            assert start not in text, (start, text)
        for line, following in itertools.pairwise(lines):
            assert not self._is_cut(line, following), (line, following)

    def _is_cut(self, line: str, following: str) -> bool:
        """Whether the last word of a full line goes on in the next."""
        last, first = re.search(r"[а-яё]+$", line), re.match(r"[а-яё]+", following)
        if last is None or first is None or len(line) < self._width - 1:
            return False
        whole = last[0] + first[0]
        return whole in self._words and not {last[0], first[0]} <= self._words


@pytest.mark.parametrize(
    ("lang", "width"), sample(CASES, lambda _number, case: case == EVERYDAY, spread=True)
)
def test_a_session_from_start_to_healthy(tmp_path: Path, lang: str, width: int) -> None:
    places = {"COURSE_STATE": str(tmp_path / "state")}
    folder = tmp_path / "exercise"
    done = course("start", "ch8-4", str(folder), "--bugs", BUG, "--lang", lang, **places)
    assert done.returncode == 0
    path = folder / "ch8-4-pt.py"
    # It learns enough in one epoch.
    in_place(path, "num_train_epochs=3", "num_train_epochs=1")
    buggy = path.read_text()
    read = Reader(lang, width)
    with Terminal("watch", str(folder), "--lang", lang, columns=width, **places) as shown:
        # Which fault it is waits for a guess, which is answered by what tells the two apart.
        choice = guess.choice(catalogue()[BUG])
        assert choice is not None
        right = 1 + choice.offered.index(choice.fault)
        wrong = next(n for n in (1, 2) if n != right)
        shown.until(lambda text: re.search(rf"^ +{len(choice.offered)} ", text, re.M) is not None)
        assert BUG not in "".join(shown.lines())
        read.check(shown)
        shown.press(str(wrong))
        other = choice.offered[wrong - 1].id
        shown.until(lambda text: other in text.replace("\n", ""))
        read.check(shown)
        shown.press(str(right))
        shown.until(lambda text: BUG in text.replace("\n", "") and other not in text)
        read.check(shown)
        # A print of one's own.
        in_place(path, "set_seed(42)\n", "set_seed(42)\nprint('my own line')\n")
        shown.until("│ my own line")
        shown.until(lambda text: BUG in text.replace("\n", ""))
        read.check(shown)
        # A breakpoint: the watch says how to get there, and the debugger opens.
        in_place(path, "tokenized = raw", "breakpoint()\ntokenized = raw")
        shown.until(lambda text: "breakpoint()" in text and BUG not in text.replace("\n", ""))
        shown.until(lambda text: "course look" in text.replace("\n", " "))
        read.check(shown)
        shown.press("e")
        shown.until("(Pdb)")
        shown.press("p checkpoint\r")
        shown.until("'distilbert-base-uncased'")
        shown.press("c\r")
        # The script goes on to its fault, and there is a prompt in it.
        shown.until(">>>")
        read.check(shown)
        shown.press("len(raw['train'])\r")
        shown.until("2430")
        shown.press("q\r")
        shown.until(lambda text: ">>>" not in text and "ch8-4-pt.py" in text)
        path.write_text(buggy)
        shown.until(lambda text: BUG in text.replace("\n", ""))
        # The hints, to the last.
        for level in "123":
            shown.press("h")
            shown.until(lambda text, level=level: f"{level} " in text or f" {level}" in text)
            read.check(shown)
        shown.press("f")
        shown.until("+    train_dataset=")
        read.check(shown)
        # Mended by hand, at both of its places.
        text = buggy.replace("train_dataset=raw", "train_dataset=tokenized")
        path.write_text(text.replace("eval_dataset=raw", "eval_dataset=tokenized"))
        shown.until(lambda text: "✓" in text and "●" in text, 200)
        read.check(shown)
        shown.press("q")
        shown.child.expect(pexpect.EOF)
        shown.child.wait()
        assert shown.child.exitstatus == 0
    (exercise,) = listed("ch8-4", **places)["exercises"]
    assert exercise["healthy"]
    assert exercise["behind"] == [BUG]
