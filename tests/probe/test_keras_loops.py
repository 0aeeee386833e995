"""Loops by hand with Keras: whose step a gradient is."""

from types import SimpleNamespace
from typing import Any

import pytest

from course_probe.ledger.keras.loops import KerasLoops


@pytest.fixture
def loops() -> KerasLoops:
    losses: Any = SimpleNamespace(at_pass=[], labels=None)
    log, listener = SimpleNamespace(looking=False), SimpleNamespace()
    return KerasLoops(log, losses, listener)  # type: ignore[arg-type]


def test_a_step_is_of_the_model_whose_variables_are_asked(loops: KerasLoops) -> None:
    maker, judge = (SimpleNamespace(trainable_variables=[object()], layers=[]) for _ in range(2))
    loops._tapes = 1
    for asked, model in ((maker, maker), (judge, judge)):
        loops._note_pass(maker, "noise", True)
        loops._note_pass(judge, "made", False)
        loops._choose(asked.trainable_variables)
        assert loops._model is model
        assert loops._mode is (model is maker)
    loops._note_pass(maker, "noise", True)
    # Gradients of inputs, or of variables of the script's own.
    loops._choose([object()])
    assert loops._model is None
