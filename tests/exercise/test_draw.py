"""The code in a copy's first line: what it stands for, whatever a lesson becomes later."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.exercise import draw
from course.exercise.draw import ALPHABET, DamagedDraw
from course.lesson import lesson

PARTS = [p for n in lesson.ids() for p in lesson.load(n).parts.values()]
KNOWN = [b.fault for b in lesson.load("ch3-3").parts["pt"].bugs]
IDS = st.from_regex(r"[a-z]{1,9}(-[a-z0-9]{1,9}){0,3}", fullmatch=True)


@given(st.sets(st.sampled_from(KNOWN)), st.permutations([*KNOWN, "a-later-bug"]))
def test_it_stands_for_the_same_bugs_in_a_lesson_that_has_grown(
    faults: set[str], later: list[str]
) -> None:
    code = draw.encode("ch3-3", "pt", faults)
    assert draw.decode("ch3-3", "pt", code, later) == tuple(f for f in later if f in faults)
    assert (code == draw.NONE) == (not faults)


@given(st.sets(IDS, max_size=12))
def test_a_draw_of_any_names_is_read_or_not_known(faults: set[str]) -> None:
    code = draw.encode("x", "y", faults)
    known = draw.decode("x", "y", code, faults)
    # Names whose hashes meet are one bug: of those that ship, none do.
    assert known is not None
    assert set(known) <= faults
    if faults:
        assert draw.decode("x", "y", code, ()) is None


@given(st.sets(st.sampled_from(KNOWN), min_size=1), st.data())
def test_a_slip_of_the_pen_is_found(faults: set[str], data: st.DataObject) -> None:
    code = draw.encode("ch3-3", "pt", faults)
    place = data.draw(st.integers(0, len(code) - 1))
    other = data.draw(st.sampled_from([c for c in ALPHABET if c != code[place]]))
    damaged = f"{code[:place]}{other}{code[place + 1 :]}"
    try:
        found = draw.decode("ch3-3", "pt", damaged, KNOWN)
    except DamagedDraw:
        return
    # One slip in 32,768 passes the check; then it would still have to hit other bugs of the lesson.
    assert found is None


@pytest.mark.parametrize("code", ["", "k", "abcd", "no ne", "ключ12", "ábcdef", "none!", "uuuuuu"])
def test_what_is_no_draw_is_told(code: str) -> None:
    with pytest.raises(DamagedDraw):
        draw.decode("ch8-4", "pt", code, KNOWN)


def test_capitals_and_lookalikes_do_no_harm() -> None:
    for size in range(1, len(KNOWN) + 1):
        code = draw.encode("ch3-3", "pt", KNOWN[:size])
        for typed in (code.upper(), code.replace("0", "O").replace("1", "l")):
            assert draw.decode("ch3-3", "pt", typed, KNOWN) == tuple(KNOWN[:size])


def test_no_two_bugs_of_a_part_look_alike_and_old_draws_are_kept() -> None:
    for part in PARTS:
        codes = {draw.encode(part.lesson, part.framework, [b.fault]) for b in part.known}
        assert len(codes) == len(part.known)
    # Draws lie in learners' files: what they stand for never changes.
    assert draw.encode("ch8-4", "pt", ["length-mismatch", "size-1-array"]) == "5wb1x7th3"
