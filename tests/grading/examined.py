"""What the tests of both ways to examine look at in a grade, and events that make no sense."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from course.grading.grade import Grade


def notes(found: Grade) -> set[str]:
    return {each.id for each in found.notes}


def how(found: Grade) -> dict[str, str]:
    return {bug.fault: bug.how for bug in found.bugs}


def gone(found: Grade) -> set[str]:
    return {bug.fault for bug in found.bugs if bug.gone}


def nonsense(keys: Sequence[str], leaves: Sequence[Any] = ()) -> st.SearchStrategy[Any]:
    """Draw values of any kind that a process may report, with these keys and leaves in them."""
    some = [10**400, "nan", "x" * 1000, "\ud800\0", "__main__", *leaves]
    some += ["builtins.NameError", "builtins.SyntaxError", "builtins.ValueError"]
    leaf = st.none() | st.booleans() | st.integers(-2, 5) | st.floats() | st.sampled_from(some)
    return st.recursive(
        leaf,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(keys), inner, max_size=6)
        ),
        max_leaves=15,
    )


def events_of(
    words: Sequence[str], keys: Sequence[str], leaves: Sequence[Any] = ()
) -> st.SearchStrategy[dict[str, Any]]:
    """Draw events of these kinds that hold anything."""
    return st.builds(
        lambda word, more: {**more, "event": word},
        st.sampled_from(words),
        st.dictionaries(st.sampled_from(keys), nonsense(keys, leaves)),
    )
