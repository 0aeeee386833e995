"""What `lessons/reading/drift.toml` says of the libraries is so, of those that are installed."""

import importlib.util
import inspect

import pytest

from course.diagnosis.text import drift, installed
from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.words import words

LISTED = drift.listed()
FAMILIES = {"transformers.TF*": "TFAutoModel", "transformers.Flax*": "FlaxAutoModel"}


def known(name: str) -> bool:
    """Whether a library has a name, asked by importing it."""
    module, _dot, last = name.rpartition(".")
    return hasattr(importlib.import_module(module), last)


@pytest.mark.parametrize("old", LISTED.name, ids=lambda each: each.old)
def test_a_name_is_told_gone_exactly_where_it_is(old: drift.OldName) -> None:
    last = FAMILIES.get(old.old, old.old.rpartition(".")[2])
    name = f"{old.library}.{last}"
    told = [f.fault for f in drift.find(_script(f"from {old.library} import {last}\n"))]
    assert told == ([] if known(name) else ["removed-import"])
    if old.new:
        module = importlib.util.find_spec(old.new.partition(".")[0])
        assert module is None or known(old.new)


@pytest.mark.parametrize("old", LISTED.method, ids=lambda each: each.old)
def test_a_method_is_told_gone_exactly_where_it_is(old: drift.OldMethod) -> None:
    from transformers import PreTrainedTokenizerFast

    told = [f.fault for f in drift.find(_script(f"x.{old.old}()\n"))]
    assert told == ([] if hasattr(PreTrainedTokenizerFast, old.old) else ["attribute-missing"])


@pytest.mark.parametrize("name", words().sources)
def test_what_a_class_takes_is_what_the_class_itself_says(name: str) -> None:
    module, _dot, last = name.rpartition(".")
    signature = inspect.signature(getattr(importlib.import_module(module), last))
    takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    read = installed.parameters(name)
    if read is None:
        assert takes_any
    else:
        assert set(signature.parameters) - {"kwargs"} <= set(read)


@pytest.mark.parametrize("old", LISTED.argument, ids=lambda each: each.old)
def test_an_argument_s_name_of_today_is_taken(old: drift.OldArgument) -> None:
    taken = installed.parameters(old.call)
    assert taken is not None
    assert old.old not in taken
    assert not old.new or old.new in taken


def _script(text: str) -> ScriptText:
    return ScriptText.read("s.py", text)
