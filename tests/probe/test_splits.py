"""What the parts of a split have of the labels."""

import pytest

from course_probe.hooks.evaluation.splits import is_of_one_label

BOTH = [0, 1] * 50


@pytest.mark.parametrize(
    ("trained", "held", "expected"),
    [
        (BOTH, [1] * 50, True),
        (["a", "b"] * 40, ["b"] * 40, True),
        (BOTH, BOTH, False),
        ([1] * 100, [1] * 50, False),  # A table of one label was split.
        (BOTH, [1] * 10, False),  # By chance.
        ([0.1, 0.2] * 50, [0.2] * 50, False),
        (list(range(100)), [7] * 50, False),
        (BOTH, [[1], [0]] * 50, False),
    ],
)
def test_what_is_held_out_has_one_label(
    trained: list[object], held: list[object], expected: bool
) -> None:
    assert is_of_one_label(trained, held) is expected
