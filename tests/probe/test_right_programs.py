"""Programs with nothing wrong in them: no reader of a text finds a mistake there."""

import ast
import importlib
import inspect
import tomllib
from pathlib import Path

import pytest

PROGRAMS = tomllib.loads(
    Path(__file__).with_suffix("").with_name("right_programs.toml").read_text()
)


@pytest.mark.parametrize("program", PROGRAMS["right"], ids=lambda each: each["reader"])
def test_what_is_near_to_a_mistake_is_none(program: dict[str, str]) -> None:
    module, name = program["reader"].split(".")
    reader = getattr(importlib.import_module(f"course_probe.reading.{module}"), name)
    given = [ast.parse(program["text"]), program["text"]]
    assert reader(*given[: len(inspect.signature(reader).parameters)]) == []
