"""The screen of a watch, in every phase, size and language."""

import functools
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from course.base import i18n
from course.base.errors import UserError
from course.cli.stage import watch_screen
from course.exercise import working_copy as copies
from course.exercise.watch.state import Ended, FixRefused, Heard, Saved, State
from course.lesson.bug import BugPlaces, PlaceText
from course.runs.record import RunRecord
from tests.exercise.watch.made import (
    COPY,
    FAULTS,
    PART,
    after,
    copy,
    judged,
    keys,
    phases,
    practice,
    training,
)
from tests.render.terminals import console, seen

SIZES = [(80, 24), (40, 10), (20, 6), (200, 60)]
LANGUAGES = ["en", "zh", "ru", i18n.PSEUDO]
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")
NAME = "ch8-4-pt.py"
PANELS = {
    "nothing yet": ["l"],
    "fault": ["h", "hhh", "f", "l"],
    "later fault": ["hhh", "f", "l", "m", "mm", "mmm"],
    "healthy": ["h", "l", "m", *("v" * n for n in range(1, 8))],
    "own fault": ["hhh", "f"],
    "unknown": ["hhh", "f", "l"],
    "problem": ["h", "f", "v"],
    "running again": ["h", "l"],
    "training again": ["l"],
}
"""What is asked for in which phases: keys, typed one after the other."""


def drawn(state: State, width: int = 80, height: int = 24) -> str:
    return "\n".join(
        line.plain for line in watch_screen.draw(console(width, height=height), state, NAME)
    )


def states(lang: str = i18n.SOURCE) -> tuple[tuple[str, State], ...]:
    """Make every phase with every panel that can be open in it, in this language."""
    i18n.activate(lang)
    return made(lang)


@functools.cache
def made(_lang: str) -> tuple[tuple[str, State], ...]:
    return tuple(every())


def every() -> Iterator[tuple[str, State]]:
    trouble = missing()
    for phase, state in phases().items():
        yield phase, state
        for typed in PANELS.get(phase, ()):
            yield f"{phase}, {typed}", keys(state, typed)
    fault = judged("fault")
    yield "trouble", after(Saved(None, trouble))[0]
    yield "trouble after a verdict", after(Saved(None, trouble), state=fault)[0]
    yield "refused", after(FixRefused(), state=fault)[0]
    yield "no place for the fix", keys(judged("fault", copy(COPY.text.replace("raw", "x"))), "f")
    again = after(Saved(COPY), state=keys(fault, "hhh"))[0]
    yield "hints beside a newer run", again
    yield "hints beside a training", after(*training(2), state=again)[0]
    long = {"event": "line", "line": 123, "text": "批次 = 'long' " * 40}
    yield (
        "vital signs beside a newer run",
        after(Saved(COPY), state=keys(judged("healthy"), "v"))[0],
    )
    yield "a long line", after(Saved(COPY), Heard(1, long))[0]
    broken = {"event": "line", "line": 1, "text": "a\n\tb\r\n\x1b[31mc" * 9}
    yield "a line that is several", after(Saved(COPY), Heard(1, broken))[0]
    stopped = practice(RunRecord("time-limit"), output="\x1b[31mred\x1b[0m and long " * 40)
    yield "stopped", replace(fault, done=stopped)


def missing() -> str:
    """Return what is said of a file that is not there, deep down in folders."""
    with pytest.raises(UserError) as caught:
        copies.read(Path("/nowhere", *["a-folder"] * 9, NAME))
    return str(caught.value)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_screen_fits_its_terminal(lang: str, size: tuple[int, int]) -> None:
    width, height = size
    page = console(width, height=height)
    for about, state in states(lang):
        lines = watch_screen.draw(page, state, NAME)
        assert len(lines) == height, about
        assert [line.plain for line in lines if cell_len(line.plain) > width] == [], about
        assert not any(set(line.plain) & {*"\n\r\x1b"} for line in lines), about
        assert " h" in lines[-1].plain, about
        assert " q" in lines[-1].plain, about


@pytest.mark.parametrize("size", [(10, 3), (1, 1)], ids=str)
def test_a_terminal_of_next_to_no_size_is_no_error(size: tuple[int, int]) -> None:
    width, height = size
    for about, state in phases().items():
        assert len(watch_screen.draw(console(width, height=height), state, NAME)) == height, about


@pytest.mark.parametrize("size", [(200, 60), (80, 24)], ids=str)
def test_no_word_of_ours_is_left_unmarked(size: tuple[int, int]) -> None:
    """Check the pseudo-language: our letters are full width, what is quoted stands in ⟦⟧."""
    for about, state in states(i18n.PSEUDO):
        # Where something was cut, its closing mark was too.
        ours = re.sub(r"⟦[^⟧]*?(?:⟧|…)", "", drawn(state, *size).replace("\n", ""))
        assert re.findall(r"[A-Za-z]{2,}", ours) == [], about


def shown(page: Console, state: State) -> str:
    """Return what the terminal gets to see, codes and all."""
    for line in watch_screen.draw(page, state, NAME):
        page.print(line, soft_wrap=True)
    return seen(page)


def test_colour_is_there_where_it_is_wanted() -> None:
    page = console(color_system="standard", height=24)
    for about, state in states():
        assert COLOUR.search(shown(page, state)), about


def test_without_colour_there_are_no_codes_of_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    for about, state in states():
        assert not COLOUR.search(shown(console(no_color=True, height=24), state)), about
    monkeypatch.setenv("NO_COLOR", "1")
    assert not COLOUR.search(shown(console(height=24), judged("fault")))


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_the_keys_are_named_on_a_usual_terminal_in_every_language(lang: str) -> None:
    i18n.activate(lang)
    last = drawn(State()).splitlines()[-1]
    assert all(i18n._(label) in last for _key, label in watch_screen.KEYS)


def test_the_first_run_says_what_it_is_at() -> None:
    at = phases()["at a line"]
    assert 'Line 3: raw = load_dataset("glue", "mnli")' in drawn(at)
    assert "Starting a warm runtime" in drawn(phases()["warming up"])
    assert "Running" in drawn(phases()["first run"])


def test_a_training_is_drawn() -> None:
    text = drawn(phases()["training"])
    assert "step 40 of 900" in text
    assert "1.20" in text
    assert "900" in text
    assert "×" in text


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("fault", "missing-input-ids"),
        ("healthy", "The script trains, and the model has learned."),
        ("own fault", "exercise's own bugs"),
        ("unknown", "exercise's own bugs"),
        ("syntax error", "SyntaxError"),
        ("problem", "The script ended without training to the last step."),
    ],
)
def test_a_verdict_is_in_view(kind: str, says: str) -> None:
    text = drawn(judged(kind))
    assert says in text
    assert ("The script has a fault." in text) == (kind not in ("healthy", "problem"))


def test_a_verdict_about_an_older_text_says_so() -> None:
    older = "from the script before the last save"
    assert older not in drawn(judged("fault"))
    assert older in drawn(phases()["running again"])


def test_a_file_that_is_gone_is_all_there_is_to_say() -> None:
    text = drawn(phases()["gone after a verdict"])
    assert "There is no file x.py." in text
    assert "The script has a fault" not in text
    assert "missing-input-ids" not in text


def test_each_hint_has_its_number_and_the_last_is_whole() -> None:
    text = " ".join(drawn(keys(judged("fault"), "hhh"), 100, 60).split())
    for n, heading in enumerate(("Where to look", "What it means", "How to fix it"), start=1):
        assert f"Hint {n}: {heading}" in text
    assert "both datasets of the Trainer must be the tokenized ones." in text


@pytest.mark.parametrize(("key", "told"), [("h", "Hint 1"), ("f", "+    train_dataset=")])
def test_what_was_told_of_the_last_fault_leaves_when_the_new_curve_comes(
    key: str, told: str
) -> None:
    asked = keys(judged("fault"), key)
    newer = after(Saved(copy(COPY.text + "# newer\n")), state=asked)[0]
    assert told in drawn(newer, height=60)
    trains = after(*training(newer.number), state=newer)[0]
    assert "1.20 ⡇" in drawn(trains, height=60)
    assert told not in drawn(trains, height=60)


def test_a_fix_is_a_diff_that_comes_before_the_error_where_there_is_little_room() -> None:
    text = drawn(keys(judged("fault"), "f"))
    assert '-    train_dataset=raw["train"],' in text
    assert '+    eval_dataset=tokenized["validation_matched"],' in text
    assert "n makes these changes" in text


def test_the_list_tells_of_every_bug() -> None:
    text = drawn(keys(judged("later fault"), "l"))
    assert "✓ missing-input-ids" in text
    assert "✓ target-out-of-bounds" in text
    assert "✗ size-1-array" in text
    assert "1 run so far" in text
    assert drawn(keys(judged("fault"), "l")).count("not appeared yet") == 3


def test_bugs_that_are_gone_from_the_text_are_not_said_to_come() -> None:
    assert practice("fault").unmended == FAULTS[1:]
    some = tuple(bug for bug in PART.bugs if bug.fault in FAULTS[:2])
    assert practice("fault", copy(copies.text(PART, some))).unmended == FAULTS[1:2]
    text = drawn(judged("fault", copy(copies.text(PART, some[:1]))), 100, 60)
    assert "not appeared yet" not in text
    assert "2 more bugs" not in text


HALF: tuple[PlaceText, PlaceText] = ("healthy", "buggy")


def test_a_bug_that_is_mended_at_one_of_its_places_is_not_behind() -> None:
    places: BugPlaces = {"missing-input-ids": HALF, "target-out-of-bounds": ("healthy",)}
    done = practice("later fault", places={**places, "length-mismatch": ("buggy", "buggy")})
    state = after(Saved(COPY), Ended(1, done))[0]
    shown = " ".join(drawn(state, 100, 60).split())
    assert "only the evaluation can show it: missing-input-ids, length-mismatch." in shown
    assert "Fixed so far: ✓ target-out-of-bounds" in shown
    assert "has not appeared yet" not in shown
    listed = drawn(keys(state, "l"), 100, 60)
    assert "✓ missing-input-ids" not in listed
    assert "missing-input-ids" in listed
    first = after(Saved(COPY), Ended(1, practice("fault", places=places)))[0]
    told = " ".join(drawn(first, 100, 60).split())
    assert "1 of its 2 places is fixed; the bug is still there in another place." in told


def test_vital_signs_go_on_part_by_part_and_begin_with_the_one_asked_for() -> None:
    wanted = ["The model", "part of the model", "The loss", "The learning rate", "The data"]
    for number, heading in enumerate([*wanted, "The outcome"], start=1):
        state = keys(judged("healthy"), "v" * number)
        text = drawn(state)
        assert f"   {heading}  " in text.splitlines()[4]
        assert ("v shows the next part." in text) is (number < 6)
    assert "Vital signs" not in drawn(keys(state, "v"))


def test_vital_signs_are_there_where_nothing_has_trained_only_in_words() -> None:
    assert "No vital signs (measured values" in drawn(keys(judged("fault"), "v"))


def test_the_head_counts_what_is_behind() -> None:
    assert [drawn(judged(kind)).count("●") for kind in ("fault", "later fault", "healthy")] == [
        0,
        3,
        4,
    ]


def test_a_terminal_that_lacks_the_dots_gets_plain_letters() -> None:
    for _about, state in states():
        for line in watch_screen.draw(console(height=24, encoding="ascii"), state, NAME):
            strange = {c for c in line.plain if ord(c) > 127}
            assert not strange & {*watch_screen.DOTS, *"✓✗○●×", *map(chr, range(0x2800, 0x2900))}


def printing(*texts: str) -> Heard:
    lines = [{"line": 1, "stream": "stdout", "text": text} for text in texts]
    return Heard(1, {"event": "output", "lines": lines, "omitted": 0})


@pytest.mark.parametrize("size", [*SIZES, (60, 24), (120, 30)], ids=str)
def test_the_last_lines_that_were_printed_are_in_view(size: tuple[int, int]) -> None:
    width, height = size
    said = [f"第 {i} 批 {'x' * 70}" for i in range(40)]
    running = after(Saved(COPY), *training(1), printing(*said))[0]
    for state in (running, keys(running, "o")):
        lines = watch_screen.draw(console(width, height=height), state, NAME)
        assert len(lines) == height
        assert all(cell_len(line.plain) <= width for line in lines)
    if width >= 60:
        text = drawn(running, width, height)
        assert "│ 第 39 批" in text
        assert "1.20" in text


def test_o_opens_all_that_was_printed_page_by_page() -> None:
    said = [f"line {i}" for i in range(30)]
    state = after(Saved(COPY), printing(*said))[0]
    seen = []
    for _page in range(3):
        state = keys(state, "o")
        seen += re.findall(r"│ (line \d+)", drawn(state))
    assert seen == said
    assert "│ line 29" in drawn(keys(state, "o"))
    assert keys(state, "o").panel == ""
    assert "has printed nothing" in drawn(keys(after(Saved(COPY))[0], "o"))
    assert "│ line 29" not in drawn(after(Saved(COPY), state=state)[0])


def test_what_is_mended_stands_above_the_lessons_fix() -> None:
    changed = copy(COPY.text.replace('train_dataset=raw["train"]', "train_dataset=mine"))
    state = after(Saved(changed), Ended(1, practice("later fault", changed)))[0]
    lines = [line.strip() for line in drawn(keys(state, "m")).splitlines()]
    own = lines.index("+    train_dataset=mine,")
    assert own < lines.index('+    train_dataset=tokenized["train"],')
