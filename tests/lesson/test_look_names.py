"""Looks and hints use names that the script has, or bring them along."""

import ast
import contextlib
import io

import pytest

from course.lesson import lesson
from course.lesson.lesson import Part, Step
from course.lesson.look_names import alone, fitting, in_own_names

STEPS = [
    pytest.param(part, step, id=f"{name}-{part.framework}-{step.id}")
    for name in lesson.ids()
    for part in lesson.load(name).parts.values()
    for step in part.steps
]


@pytest.mark.parametrize(("part", "step"), STEPS)
def test_each_look_alone_needs_only_names_of_the_script(part: Part, step: Step) -> None:
    looks = tuple(alone(part.looks_at(step.id)))
    assert fitting(looks, part.text(step.bugs)) == looks
    for look in looks:
        assert ast.parse(look.code)
        assert max(map(len, look.code.splitlines())) <= 80, look.code


def test_a_look_brings_the_loop_that_fills_its_list() -> None:
    looks = lesson.load("ch8-4").parts["pt"].looks_at("healthy")
    found = next(look for look in alone(looks) if look.code.endswith("right.index(1.0) + 1"))
    assert "right.append(" in found.code


def test_a_look_brings_what_the_looks_before_it_made() -> None:
    looks = lesson.load("ch3-3").parts["pt"].looks_at("renamed-argument")
    _first, second = alone(looks)
    assert second.code == "import inspect\nlist(inspect.signature(Trainer).parameters)"
    names = {"Trainer": contextlib.suppress}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(second.code, names)


SCRIPT = """
raw = load_dataset("glue", "mrpc")
mine = transformers.Trainer(model, args)
schedule = get_scheduler("linear", optimizer)
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("See `trainer`.", "See `mine`."),
        ("`trainer.train()`, trainer", "`mine.train()`, trainer"),
        ("`my_trainer.train()` and `x.trainer.y`", "`my_trainer.train()` and `x.trainer.y`"),
        ("`scheduler.get_last_lr()`", "`schedule.get_last_lr()`"),
        ('`list(dataset["a"])`', '`list(raw["train"]["a"])`'),
        ("`next(iter(train_loader))`", "`next(iter(mine.get_train_dataloader()))`"),
        ("`train_dataset=dataset`", "`train_dataset=raw`"),
    ],
)
def test_code_in_a_text_has_the_names_of_the_script(text: str, told: str) -> None:
    assert in_own_names(text, SCRIPT) == told
    assert in_own_names(told, SCRIPT) == told
    assert in_own_names(text, "trainer = scheduler = dataset = train_loader = 1") == text
    assert in_own_names(text, "def") == text
