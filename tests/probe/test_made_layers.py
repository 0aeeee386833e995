"""Where layers were made is noted as they are made, and told by what a message calls them."""

from types import ModuleType
from typing import Any

import pytest

from course_probe.made_layers import MadeLayers

SCRIPT = """
def build(width):
    return Dense("dense_1", width)

first = Dense("dense", 4)
second = build(3)
own = Own("own", 2)
model = Model("model", [first, own, second])
unsized = Dense("rate", None)
"""
SECOND = 3


class Layer:
    """As Keras makes its layers: in `__new__`, before any `__init__`."""

    def __new__(cls, *arguments: Any, **named: Any) -> "Layer":
        return super().__new__(cls)

    def __init__(self, name: str, width: int | None) -> None:
        self.name = name
        if width is not None:
            self.units = width


class Dense(Layer):
    pass


class Own(Dense):
    """One that makes a layer in a line of the library's own, and has no hash."""

    def __init__(self, name: str, width: int) -> None:
        super().__init__(name, width)

    def __eq__(self, other: object) -> bool:
        raise NotImplementedError

    __hash__ = None  # type: ignore[assignment]


class Model(Layer):
    def __init__(self, name: str, layers: list[Layer]) -> None:
        super().__init__(name, None)
        self.layers = layers


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> tuple[MadeLayers, dict[str, Any]]:
    module, found = ModuleType("keras.src.layers.layer"), MadeLayers()
    monkeypatch.setattr(Layer, "__new__", Layer.__new__)
    module.Layer = Layer  # type: ignore[attr-defined]
    found.hook(module)
    names: dict[str, Any] = {"__name__": "__main__", "Dense": Dense, "Own": Own, "Model": Model}
    exec(compile(SCRIPT, "train.py", "exec"), names)
    return found, names


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("Input 0 with name 'None' of layer 'dense_1' is incompatible", SECOND),
        ("Detected at node model_1/dense_1/MatMul defined at", SECOND),
        # The model is named beside its layer, and one without a hash was never noted.
        ("layer 'model' and layer \"dense_1\"", SECOND),
        ("layer 'own'", None),
        # Of several of one class none is told.
        ("Exception encountered when calling Dense.call()", None),
        ("nothing", None),
    ],
)
def test_a_layer_is_known_by_what_the_message_calls_it(
    made: tuple[MadeLayers, dict[str, Any]], message: str, line: int | None
) -> None:
    assert made[0].facts(message).get("named.line") == line


def test_the_last_layer_with_a_size_gives_the_outputs(
    made: tuple[MadeLayers, dict[str, Any]],
) -> None:
    found, names = made
    assert "outputs.line" not in found.facts("")
    found.note_model(names["model"], {})
    assert found.facts("")["outputs.line"] == SECOND


def test_texts_are_unread_where_no_layer_may_read_them(
    made: tuple[MadeLayers, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, names = made
    found.note_model(names["model"], {"labels.are_text": 1}, gives_text=True)
    # A layer of the script's own may do so.
    assert found.facts("")["inputs.unread_text"] == 0
    monkeypatch.setattr(Dense, "__module__", "keras.src.layers.core.dense")
    monkeypatch.setattr(Own, "__module__", "keras.src.layers.core.dense")
    assert found.facts("") | {"outputs.line": 0} == {
        "outputs.line": 0,
        "inputs.unread_text": 1,
        "labels.are_text": 1,
    }
    monkeypatch.setattr("course_probe.made_layers.READING", ("Own",))
    assert found.facts("")["inputs.unread_text"] == 0


def test_what_a_layer_answers_never_ends_in_an_error(
    made: tuple[MadeLayers, dict[str, Any]],
) -> None:
    found, names = made
    del names["first"].name
    assert found.facts("layer 'dense_1'") == {}
