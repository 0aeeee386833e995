import math
from textwrap import dedent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from course.render import lines as typeset
from course.render.chart import Curve, can_show, chart
from tests.render.terminals import console

NAN, INF = math.nan, math.inf


def curve(*losses: float, name: str = "loss") -> Curve:
    return Curve(name, tuple(enumerate(losses, 1)))


def drawn(lines: list[Text]) -> str:
    return "".join(f"{line.plain}|\n" for line in lines)


def picture(text: str) -> str:
    """Read a drawing of this file: a bar ends each line, so that no editor strips it."""
    return dedent(text).removeprefix("\n")


def styles(lines: list[Text]) -> dict[str, set[str]]:
    """Return the characters, by the styles they are in."""
    found: dict[str, set[str]] = {}
    for line in lines:
        for span in line.spans:
            found.setdefault(str(span.style), set()).update(line.plain[span.start : span.end])
    return found


def test_sparse_points_are_joined() -> None:
    assert drawn(chart([curve(4, 2, 1)], 20, 3)) == picture("""
        4.00 ⠉⠒⠤⣀|
                 ⠉⠒⠤⣀⡀|
        1.00         ⠈⠉⠑⠒⠤⠤⣀|
             1             3|
        """)


def test_many_points_are_averaged() -> None:
    noise = Curve("loss", tuple((i, 2.0 if i % 2 else 1.0) for i in range(1, 601)))
    assert drawn(chart([noise], 24, 3)) == picture("""
        2.00|
             ⠢⠤⠤⠤⠤⠔⠤⠤⠤⠤⠔⠤⠤⠤⠤⠤⠢⠤⠤|
        1.00|
             1               600|
        """)


def test_two_curves_are_told_apart_without_colour() -> None:
    two = [curve(2, 1, name="one"), curve(1, 1, name="两")]
    assert drawn(chart(two, 24, 3)) == picture("""
        2.00 ⠉⠒⠒⠤⢄⣀|
                   ⠉⠉⠒⠢⠤⣀⣀|
        1.00 ⡀⡀⡀⡀⡀⡀⡀⡀⡀⡀⡀⡀⡀⡉⡑⡒⡤⡤⣀|
             1                 2|
        ⠒⠒ one  ⠂⠂ 两|
        """)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_curve_breaks_where_the_loss_is_no_number(bad: float) -> None:
    broken = curve(2, 1.5, bad, bad, 1)
    assert drawn(chart([broken], 25, 3)) == picture("""
        2.00 ⠑⠢⢄       ×|
                ⠉⠒⠄|
        1.00                    ⢀|
             1                  5|
        """)
    assert drawn(chart([broken], 25, 3, ascii_only=True)) == picture("""
        2.00 ***       x|
                ***|
        1.00                    *|
             1                  5|
        """)


def test_a_single_point() -> None:
    assert drawn(chart([curve(2)], 20, 3)) == picture("""
        2.05|
             ⠄|
        1.95|
             1|
        """)


def test_a_loss_that_hardly_moves_looks_flat() -> None:
    lines = chart([curve(1.1, 1.1, 1.101, 1.1)], 30, 5)
    assert [bool(line.plain[5:]) for line in lines[:5]] == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("losses", "bottom"),
    [((2, 0.4), "0.00"), ((2, 0.6), "0.60"), ((2, -0.1), "-0.10"), ((0, 0), "0.00")],
)
def test_the_range_begins_at_0_where_the_data_come_near(
    losses: tuple[float, ...], bottom: str
) -> None:
    assert chart([curve(*losses)], 30, 4)[3].plain.split()[0] == bottom


def test_long_numbers_leave_room_for_the_picture() -> None:
    steps = ((123456, -1.5), (1234567, -1e7))
    assert drawn(chart([Curve("loss", steps)], 20, 3)) == picture("""
           -1.50 ⠑⠢⢄⡀|
                    ⠈⠑⠢⢄⡀|
        -1.0e+07        ⠈⠑⠢⢄|
                     1234567|
        """)


def test_long_names_are_both_there() -> None:
    two = [curve(1, name="with a long name"), curve(2, name="学习率太大的训练")]
    assert chart(two, 20, 3)[-1].plain == "⠒⠒ with …  ⠂⠂ 学习 …"
    assert chart(two, 20, 3, ascii_only=True)[-1].plain == "** with a  .. 学习率"


def test_colours() -> None:
    lines = chart([curve(2, 1, NAN), curve(1, 1.2, 1.1)], 40, 6)
    found = styles(lines)
    assert set(found) == {"green", "yellow", "red", typeset.QUIET}
    assert found["red"] == {"×"}
    assert set("2.00") < found[typeset.QUIET]


def test_the_first_curve_is_on_top() -> None:
    assert styles(chart([curve(2, 1), curve(2, 1)], 30)[:6])["green"]
    assert "yellow" not in styles(chart([curve(2, 1), curve(2, 1)], 30)[:6])


def test_nothing_where_there_is_nothing_to_see() -> None:
    assert chart([], 40) == []
    assert chart([curve()], 40) == []
    assert chart([curve(NAN, INF)], 40) == []
    assert chart([curve(2, 1)], 19) == []
    assert chart([curve(2, 1)], 40, rows=0) == []


LOSSES = st.floats() | st.floats(0, 3)
POINTS = st.lists(st.tuples(st.integers(0, 10**9) | st.integers(0, 50), LOSSES), max_size=60)
CURVES = st.builds(
    lambda name, points: Curve(name, tuple(sorted(points, key=lambda point: point[0]))),
    st.text("abc损失 батч", max_size=60),
    POINTS,
)


@given(
    st.lists(CURVES, min_size=1, max_size=2),
    st.integers(0, 120),
    st.integers(1, 10),
    st.none() | st.integers(0, 10**9),
    st.booleans(),
)
@example([curve(1.7e308, -1.7e308, 1.7e308)], 20, 6, None, False)
@example([curve(5e-324, 5e-324), curve(0.0, -0.0)], 20, 1, 0, False)
@example([curve(1e15, 1e15 + 1)], 20, 2, None, True)
def test_any_training_can_be_drawn(
    curves: list[Curve],
    columns: int,
    rows: int,
    last: int | None,
    ascii_only: bool,
) -> None:
    lines = chart(curves, columns, rows, last, ascii_only)
    if columns < 20 or not any(math.isfinite(v) for c in curves for _step, v in c.points):
        assert lines == []
        return
    assert len(lines) == rows + len(curves)
    assert all(cell_len(line.plain) <= columns for line in lines)
    plot = "".join(line.plain for line in lines[: rows + 1])
    assert not ascii_only or plot.isascii()
    bad = any(not math.isfinite(v) for c in curves for _step, v in c.points)
    assert (("x" if ascii_only else "×") in plot) == bad


@given(st.lists(st.floats(0, 3), min_size=2, max_size=200), st.integers(20, 100))
def test_the_picture_is_as_wide_as_the_training_is_far(losses: list[float], columns: int) -> None:
    full = chart([curve(*losses)], columns)
    half = chart([curve(*losses)], columns, last=2 * len(losses))
    cells = columns - 5
    assert max(line.cell_len for line in full[:-1]) == columns
    assert max(line.cell_len for line in half[:-1]) <= columns - cells // 2 + 1
    assert full[-1].cell_len == half[-1].cell_len == columns


@pytest.mark.parametrize(
    ("encoding", "can"),
    [("utf-8", True), ("gb18030", True), ("gbk", False), ("cp1251", False), ("ascii", False)],
)
def test_which_consoles_can_show_braille(encoding: str, can: bool) -> None:
    assert can_show(console(encoding=encoding)) is can
