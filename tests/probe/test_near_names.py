"""The names that are reported beside an error; nothing of the learner's is called for them."""

import sys
from collections import UserDict
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from course_probe import near_names


def near(fails: Callable[[], object]) -> list[str]:
    try:
        fails()
    except Exception as error:
        level = error.__traceback__
        assert level is not None
        while level.tb_next is not None:
            level = level.tb_next
        return near_names.find(error, level.tb_frame, level.tb_lineno)
    raise AssertionError("nothing was raised")


class Model:
    def forward(self) -> None:
        """Do nothing."""

    def _private(self) -> None:
        """Do nothing."""


def test_of_a_name_those_that_the_line_can_see() -> None:
    def fails() -> object:
        optimizer = 1
        return optimizr, optimizer  # type: ignore[name-defined]  # noqa: F821

    assert near(fails) == ["optimizer"]
    assert near(lambda: pritn("a")) == ["print"]  # type: ignore[name-defined]  # noqa: F821


def test_a_name_that_is_used_again_is_meant() -> None:
    def fails() -> object:
        tokenize = 1
        return tokenizer, tokenizer, tokenize  # type: ignore[name-defined]  # noqa: F821

    assert near(fails) == []


def test_the_spelling_of_an_attribute() -> None:
    assert near(lambda: Model().farward()) == ["forward"]  # type: ignore[attr-defined]
    assert near(lambda: Model().Forward()) == ["forward"]  # type: ignore[attr-defined]
    assert near(lambda: Model().private()) == []  # type: ignore[attr-defined]
    assert near(lambda: Model().backward) == []  # type: ignore[attr-defined]
    assert near(lambda: None.farward) == []  # type: ignore[attr-defined]


def test_an_error_that_a_library_raises_anew_is_the_one_within_it() -> None:
    def called(fails: Callable[[], object]) -> None:
        try:
            fails()
        except Exception as error:
            raise type(error)(f"in call(): {error}") from None

    with pytest.raises(AttributeError) as raised:
        called(lambda: Model().farward())  # type: ignore[attr-defined]
    assert near_names.original(raised.value) is raised.value.__context__
    other = KeyError("a")
    other.__context__ = raised.value
    assert near_names.original(other) is other


def test_the_spelling_of_a_key() -> None:
    data = {"train": 1, "test": 2, 3: 4}
    inner: UserDict[str, int] = UserDict(input_ids=1)
    assert near(lambda: data["trian"]) == ["train"]
    assert near(lambda: data["validation"]) == []
    assert near(lambda: data[5]) == []
    assert near(lambda: inner["inputs_ids"]) == ["input_ids"]


def test_an_import_and_the_case_of_its_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("a_library")
    module.DataLoader = module.dataloader = 1
    monkeypatch.setitem(sys.modules, "a_library", module)
    assert near(lambda: exec("from a_library import DataLaoder")) == ["DataLoader"]


def test_a_data_set_says_which_columns_it_has() -> None:
    def fails() -> None:
        there = "Current columns in the dataset: ['sentence1', 'label']"
        raise ValueError(f"Column name ['sentense1'] not in the dataset. {there}")

    assert near(fails) == ["sentence1"]


@pytest.mark.parametrize("limit", ["eval_loader", "train_loader"])
def test_two_loaders_are_not_near(limit: str) -> None:
    other = {"eval_loader": "train_loader", "train_loader": "eval_loader"}[limit]
    data = {other: 1}
    assert near(lambda: data[limit]) == []


class Strange:
    """Calls of it are not to be made; `dir` may."""

    def __dir__(self) -> list[str]:
        raise ValueError("no names for you")


class Mapping(dict[str, int]):
    called = False

    def __missing__(self, key: str) -> int:
        raise KeyError(key)

    def _call(self, *arguments: Any) -> Any:
        Mapping.called = True
        raise RuntimeError

    __iter__ = keys = items = __contains__ = __len__ = _call  # type: ignore[assignment]


def test_what_an_object_does_when_it_is_asked_harms_nothing() -> None:
    assert near(lambda: Strange().forwrad) == []  # type: ignore[attr-defined]
    data = Mapping(train=1)
    assert near(lambda: data["trian"]) == ["train"]
    assert not Mapping.called
