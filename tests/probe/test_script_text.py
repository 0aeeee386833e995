"""What the text of a script says of its learning rates, and by itself."""

import ast

import pytest

from course_probe.reading.script_text import sets_rates
from course_probe.reading.text_figures import text_figures


@pytest.mark.parametrize(
    "text",
    [
        'for group in optimizer.param_groups:\n    group["lr"] = 0.1',
        'optimizer.param_groups[0]["lr"] *= 0.5',
        "optimizer.learning_rate = 0.1",
        "optimizer.lr = 0.1",
        "model.optimizer.learning_rate.assign(0.1)",
        "calls = [keras.callbacks.LearningRateScheduler(plan)]",
        "from keras.callbacks import LambdaCallback\ncall = LambdaCallback(on_epoch_begin=f)",
        "class Warm(keras.callbacks.Callback):\n    pass",
    ],
)
def test_a_script_that_sets_its_rates(text: str) -> None:
    assert sets_rates(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)",
        'print(optimizer.param_groups[0]["lr"])',
        "print(optimizer.learning_rate.numpy())",
        'options = {"lr": 1e-3}',
        "call = keras.callbacks.ReduceLROnPlateau()",
    ],
)
def test_a_script_that_leaves_them_to_others(text: str) -> None:
    assert not sets_rates(ast.parse(text))


def test_the_figures_of_a_text() -> None:
    tree = ast.parse("best = cosine_similarity(a, b)\n")
    found = text_figures(tree)
    assert found["items_apart"] == found["scored_against_itself"] == 0.0
    assert "items_apart_line" not in found
