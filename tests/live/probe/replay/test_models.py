"""Models of a library, whose loss is computed within their pass."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import transformers

from tests.live.probe.replay.healthy import N, T, V, classes, padded_ids
from tests.live.probe.replay.steps import Step, broken

SMALL = {"vocab_size": V, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}


def bert(kind: str, **named: Any) -> Any:
    config = transformers.BertConfig(**SMALL, intermediate_size=32, **named)
    return getattr(transformers, kind)(config)


def gpt() -> Any:
    config = transformers.GPT2Config(vocab_size=V, n_embd=16, n_layer=2, n_head=2, n_positions=T)
    return transformers.GPT2LMHeadModel(config)


def loss(made: Any) -> Any:
    return made.loss


def classifier(labels: Any = None) -> Step:
    ids, mask = padded_ids()
    labels = classes() if labels is None else labels
    named = {"input_ids": ids, "attention_mask": mask, "labels": labels}
    return Step(bert("BertForSequenceClassification", num_labels=3), loss, (), named)


def regressor() -> Step:
    ids, mask = padded_ids()
    named = {"input_ids": ids, "attention_mask": mask, "labels": torch.randn(N)}
    return Step(bert("BertForSequenceClassification", num_labels=1), loss, (), named)


def several_labels() -> Step:
    ids, mask = padded_ids()
    labels = (torch.rand(N, 4) > 0.6).float()
    named = {"input_ids": ids, "attention_mask": mask, "labels": labels}
    return Step(bert("BertForSequenceClassification", num_labels=4), loss, (), named)


def tagger() -> Step:
    ids, mask = padded_ids()
    tags = torch.randint(0, 4, (N, T)).masked_fill(mask == 0, -100)
    named = {"input_ids": ids, "attention_mask": mask, "labels": tags}
    return Step(bert("BertForTokenClassification", num_labels=4), loss, (), named)


def masked() -> Step:
    ids, mask = padded_ids()
    is_hidden = (torch.rand(N, T) < 0.3) & (mask == 1)
    labels = ids.masked_fill(~is_hidden, -100)
    named = {"input_ids": ids.masked_fill(is_hidden, V - 1), "attention_mask": mask}
    return Step(bert("BertForMaskedLM"), loss, (), {**named, "labels": labels})


def language_model() -> Step:
    ids = torch.randint(1, V, (N, T))
    return Step(gpt(), loss, (), {"input_ids": ids, "labels": ids})


def language_model_of_padded_texts() -> Step:
    ids, mask = padded_ids()
    labels = ids.masked_fill(mask == 0, -100)
    return Step(gpt(), loss, (), {"input_ids": ids, "attention_mask": mask, "labels": labels})


def translator() -> Step:
    config = transformers.T5Config(
        vocab_size=V, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2,
        decoder_start_token_id=0,
    )  # fmt: skip
    ids, mask = padded_ids()
    labels = torch.randint(1, V, (N, T))
    named = {"input_ids": ids, "attention_mask": mask, "labels": labels}
    return Step(transformers.T5ForConditionalGeneration(config), loss, (), named)


HEALTHY = (
    classifier,
    regressor,
    several_labels,
    tagger,
    masked,
    language_model,
    language_model_of_padded_texts,
    translator,
)


@pytest.mark.parametrize("make", HEALTHY, ids=lambda make: make.__name__)
def test_nothing_is_wrong_with_a_model_of_a_library(make: Callable[[], Step]) -> None:
    step = make()
    found = step.look()
    assert "target_moves" in found, found
    assert broken(found) == set(), found


def test_that_next_words_are_learned_is_told_where_the_model_shifts_them() -> None:
    found = language_model().look()
    assert (found["places_ahead"], found["later_moves"]) == (1, 0)


def labels_shifted_before() -> Step:
    ids = torch.randint(1, V, (N, T))
    labels = ids.roll(-1, 1)
    labels[:, -1] = -100
    return Step(gpt(), loss, (), {"input_ids": ids, "labels": labels})


def decoder_that_looks_ahead() -> Step:
    ids = torch.randint(1, V, (N, T))
    network = bert("BertLMHeadModel", is_decoder=False)
    return Step(network, loss, (), {"input_ids": ids, "labels": ids})


def padding_among_the_labels() -> Step:
    ids, mask = padded_ids()
    return Step(gpt(), loss, (), {"input_ids": ids, "attention_mask": mask, "labels": ids})


def padding_without_a_mask() -> Step:
    step = tagger()
    del step.kwargs["attention_mask"]
    return step


@pytest.mark.parametrize(
    ("make", "fact"),
    [
        (labels_shifted_before, "shifted"),
        (decoder_that_looks_ahead, "later seen"),
        (padding_among_the_labels, "padding in loss"),
        (padding_without_a_mask, "padding read"),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_what_is_wrong_with_a_model_of_a_library(make: Callable[[], Step], fact: str) -> None:
    found = make().look()
    assert broken(found) == {fact}, found
