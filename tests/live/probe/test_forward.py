"""The passes of a network are told to those who count, whatever stands around the model."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from course_probe.hooks.model_pass import (
    ModelPass,
    as_classes,
    as_tensor,
    by_name,
    logits_of,
    loss_of,
)
from course_probe.hooks.torch.forward import ForwardHooks, _width

IDS = torch.tensor([[5, 6, 7], [8, 9, 0]])
MASK = (IDS > 0).long()


class Base(nn.Module):
    """A model as those of transformers are: an encoder, or one with a head."""

    name_or_path = ""

    def __init__(self, *, head: bool = False) -> None:
        super().__init__()
        self.words = nn.Embedding(10, 4)
        self.head = nn.Linear(4, 2) if head else None

    def forward(self, input_ids: Any, attention_mask: Any = None, labels: Any = None) -> Any:
        states = self.words(input_ids)
        if self.head is None:
            return SimpleNamespace(last_hidden_state=states)
        logits = self.head(states[:, 0])
        loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
        return SimpleNamespace(loss=loss, logits=logits)


class Own(nn.Module):
    """A network around an encoder, which puts out what it is asked for."""

    def __init__(self, put_out: Callable[[Any], Any] = lambda logits: logits) -> None:
        super().__init__()
        self.encoder = Base()
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(4, 2)
        self._put_out = put_out

    def forward(self, input_ids: Any, attention_mask: Any) -> Any:
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask)
        return self._put_out(self.head(self.drop(states.last_hidden_state[:, 0])))


class Vitals:
    def __init__(self) -> None:
        self.at_backward: list[Callable[[Any], None]] = []
        self.trained: list[ModelPass] = []
        self.evaluated: list[ModelPass] = []

    def note_training_pass(self, one: ModelPass) -> None:
        self.trained.append(one)

    def note_evaluation_pass(self, one: ModelPass) -> None:
        self.evaluated.append(one)


class Heard:
    def __init__(self) -> None:
        self.figures: dict[str, float] = {}
        log: Any = SimpleNamespace(
            looking=False,
            write_figures=self.figures.update,
        )
        trainer: Any = SimpleNamespace(is_active=False, at_begin=[], at_end=[])
        self.vitals = Vitals()
        self.hooks = ForwardHooks(log, trainer, self.vitals)  # type: ignore[arg-type]
        self.hooks.hook_modules(torch)
        self.hooks.hook_models(SimpleNamespace(PreTrainedModel=Base))  # type: ignore[arg-type]


@pytest.fixture
def heard() -> Iterator[Heard]:
    kept = nn.Module.__call__
    yield Heard()
    nn.Module.__call__ = kept  # type: ignore[method-assign]


@pytest.mark.parametrize(
    "put_out",
    [
        lambda logits: logits,
        lambda logits: {"logits": logits},
        lambda logits: (logits, torch.zeros(2, 3, 4)),
        lambda logits: SimpleNamespace(loss=None, logits=logits),
        # One output tells two classes apart.
        lambda logits: logits[:, 0],
        lambda logits: logits[:, :1].sigmoid(),
    ],
)
def test_the_answers_of_a_network_around_a_model_are_those_that_count(
    heard: Heard, put_out: Callable[[Any], Any]
) -> None:
    model = Own(put_out).eval()
    with torch.no_grad():
        outputs = model(IDS, attention_mask=MASK)
    (one,) = heard.vitals.evaluated
    assert (one.model, one.encoder) == (model, model.encoder)
    assert torch.equal(one.logits, logits_of(outputs))
    assert one.logits.shape == (2, 2)
    assert one.ids is IDS
    assert one.named["attention_mask"] is MASK
    assert torch.equal(logits_of(one.compute(one.model, **one.given)), one.logits)


def test_it_trains_by_the_loss_that_goes_backward(heard: Heard) -> None:
    model = Own()
    loss = model(IDS, MASK).sum()
    assert not heard.vitals.trained
    (call,) = heard.vitals.at_backward
    call(loss)
    (one,) = heard.vitals.trained
    assert (one.model, one.encoder, one.logits) == (model, model.encoder, None)
    assert heard.hooks.model is model.encoder


def test_how_many_outputs_it_has_is_counted_where_they_are_one_for_each_class(heard: Heard) -> None:
    Own(lambda logits: logits[:, :1])(IDS, MASK)
    assert "outputs" not in heard.figures
    Own()(IDS, MASK)
    assert heard.figures["outputs"] == 2


def test_a_loss_of_its_own_makes_a_pass_one_that_trains(heard: Heard) -> None:
    Own(lambda logits: (logits.sum(), logits))(IDS, MASK)
    (one,) = heard.vitals.trained
    assert one.logits.shape == (2, 2)


def test_of_a_network_that_puts_out_no_logits_only_the_model_in_it_is_known(heard: Heard) -> None:
    model = Own(lambda _logits: "yes").eval()
    with torch.no_grad():
        model(IDS, MASK)
    (one,) = heard.vitals.evaluated
    assert (one.model, one.logits) == (model.encoder, None)


def test_a_model_with_a_head_is_told_at_once_whatever_is_around_it(heard: Heard) -> None:
    class Around(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = Base(head=True)

        def forward(self, ids: Any) -> Any:
            return self.model(ids).logits.softmax(-1)

    around = Around().eval()
    with torch.no_grad():
        around(IDS)
    (one,) = heard.vitals.evaluated
    assert one.model is around.model
    # Arguments have their names, so that the pass can be computed again.
    assert one.given["input_ids"] is IDS
    assert torch.equal(logits_of(one.compute(one.model, **one.given)), one.logits)


def test_an_error_in_a_network_leaves_nothing_behind(heard: Heard) -> None:
    def fail(_logits: Any) -> Any:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"), torch.no_grad():
        Own(fail).eval()(IDS, MASK)
    assert not heard.vitals.evaluated
    with torch.no_grad():
        Base(head=True).eval()(IDS)
        Own().eval()(IDS, MASK)
    assert len(heard.vitals.evaluated) == 2


@pytest.mark.parametrize(
    ("ids", "width"),
    [
        ([[1, 5, 2], [1, 6, 2]], 3),
        ([[1, 5, 2, 2, 2], [1, 6, 7, 2, 2]], 4),
        ([[2, 2, 1, 5], [2, 1, 6, 5]], 4),
        ([[1]], 1),
        ([[3, 3, 3]], 1),
    ],
)
def test_columns_that_only_repeat_the_last_id_are_padding(ids: list[list[int]], width: int) -> None:
    assert _width(torch.tensor(ids)) == width


def test_arguments_and_outputs_by_name() -> None:
    class Free(nn.Module):
        def forward(self, first: Any, *others: Any, **named: Any) -> Any:
            """Take anything."""

    assert by_name(Free(), (1,), {"size": 2}) == {"first": 1, "size": 2}
    assert by_name(Free(), (1, 2), {}) is None
    assert by_name(Free(), (), {"any": 1}) == {"any": 1}
    assert by_name(Base(), (1, 2, 3, 4), {}) is None
    table, number = torch.zeros(2, 2), torch.zeros(())
    assert logits_of((table, table)) is None
    assert logits_of([number, table]) is table
    assert loss_of([number, table]) is number
    assert loss_of({"loss": number}) is number
    assert loss_of((number, number)) is None
    assert loss_of(table) is None
    assert loss_of(number) is number


def test_one_output_is_a_probability_or_the_logit_of_the_second_class() -> None:
    logits = torch.tensor([-2.0, 0.5, 3.0])
    for outputs in (logits, logits[:, None], logits.sigmoid()):
        both = logits_of(outputs)
        assert both.argmax(-1).tolist() == [0, 1, 1]
        assert torch.allclose(both.softmax(-1)[:, 1], logits.sigmoid(), atol=1e-5)


def test_a_column_of_classes_is_known_by_its_numbers() -> None:
    for column in ([0, 1], torch.tensor([0, 1]), torch.tensor([[0.0], [1.0]])):
        found = as_classes(column)
        assert found.tolist() == [0, 1]
        assert not found.is_floating_point()
    for column in ("ab", ["a", "b"], [0.5, 1.0], torch.tensor([0.5, 1.0]), torch.ones(2, 2), None):
        assert as_classes(column) is None
    assert as_tensor(torch.tensor(1)) is None
