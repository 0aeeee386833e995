"""Random numbers that are drawn once more, by the text of a script."""

import ast

import pytest

from course_probe.reading.two_draws import noise_drawn_again, places_drawn_again

DRAW = "ix = torch.randint(9, (4,))"


@pytest.mark.parametrize(
    ("again", "labels", "is_apart"),
    [
        (DRAW, "y = data[ix + 1]", True),
        ("pass", "y = data[ix + 1]", False),
        # Other rows to be told apart from these.
        (DRAW, "negative = data[ix]", False),
    ],
)
def test_places_that_are_drawn_again(again: str, labels: str, *, is_apart: bool) -> None:
    text = "\n".join((DRAW, "x = data[ix]", again, labels))
    assert bool(places_drawn_again(ast.parse(text))) is is_apart


@pytest.mark.parametrize(
    ("target", "is_apart"),
    [
        ("torch.randn_like(x)", True),
        ("noise", False),
        ("torch.randn(3)", False),
        ("x", False),
    ],
)
def test_noise_that_is_drawn_again(target: str, *, is_apart: bool) -> None:
    text = (
        f"noise = torch.randn_like(x)\nz = a * x + b * noise\nloss = F.mse_loss(net(z), {target})"
    )
    assert bool(noise_drawn_again(ast.parse(text))) is is_apart


def test_inputs_that_are_noise_alone_are_no_mixture() -> None:
    text = "x = torch.randn(8, 4)\nloss = F.mse_loss(net(x), torch.randn(8, 4))"
    assert noise_drawn_again(ast.parse(text)) == []
