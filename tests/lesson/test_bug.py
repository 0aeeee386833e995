import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.base.errors import ContentError
from course.lesson.bug import Bug, Edit, diff

BUG = Bug("f", (Edit("a=raw", "a=tok"), Edit("b=raw", "b=tok, n=3")), "because")


@given(before=st.text("xyz\n "), between=st.text("xyz\n "), after=st.text("xyz\n "))
def test_a_bug_comes_out_and_goes_back_in_to_the_byte(
    before: str, between: str, after: str
) -> None:
    script = f"{before}a=raw{between}b=raw{after}"
    healthy = BUG.take_out(script)
    assert healthy == f"{before}a=tok{between}b=tok, n=3{after}"
    assert BUG.put_in(healthy) == script


@pytest.mark.parametrize(("script", "times"), [("b=raw", 0), ("a=raw a=raw b=raw", 2)])
def test_a_place_must_be_found_exactly_once(script: str, times: int) -> None:
    with pytest.raises(ContentError, match=f"occurs {times} times"):
        BUG.take_out(script)


def test_a_diff_names_the_file_and_ends_each_line() -> None:
    text = diff("a\nb\n", "a\nc", "exercise.py")
    assert text.splitlines()[0] == "--- exercise.py"
    assert text.splitlines()[-2:] == ["-b", "+c"]
    assert diff("a\n", "a\n", "x") == ""
