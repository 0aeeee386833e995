"""How a network is told whether to drop numbers, by the text of a script."""

import ast

import pytest

from course_probe.reading.dropping import is_switched

NET = "class Net:\n    def forward(self, x, noisy=False):\n        return {}"


@pytest.mark.parametrize(
    ("result", "is_told"),
    [
        ("F.dropout(x, 0.3, training=noisy)", True),
        ("F.dropout(x, 0.3, noisy)", True),
        ("F.dropout(x, 0.3, training=self.training or noisy)", True),
        ("F.dropout(x, 0.3) if noisy else x", True),
        ("F.dropout(x, 0.3, training=self.sampling)", True),
        ("F.dropout(x, 0.3)", False),
        ("F.dropout(x, self.share) if self.share > 0 else x", False),
        ("F.dropout(x, 0.3, training=True)", False),
        ("F.dropout(x, 0.3, training=self.training)", False),
    ],
)
def test_who_says_whether_numbers_are_dropped(result: str, is_told: bool) -> None:
    assert is_switched(ast.parse(NET.format(result))) is is_told
