"""What a script has made is found where it is needed, and what it has let go of is not."""

import gc
import sys

import torch

from course_probe.hooks.living_objects import living


def test_the_newest_comes_first() -> None:
    gc.collect()
    before = len(living("torch.optim.optimizer", "Optimizer"))
    held = [torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1) for _ in range(2)]
    found = living("torch.optim.optimizer", "Optimizer")
    assert [each for each in found if each in held] == held[::-1]
    assert len(found) == before + 2
    del held, found
    gc.collect()
    assert len(living("torch.optim.optimizer", "Optimizer")) == before


def test_what_the_script_names_is_found_at_once() -> None:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
    main = vars(sys.modules["__main__"])
    main["an_optimizer_of_a_test"] = optimizer
    try:
        assert living("torch.optim.optimizer", "Optimizer") == [optimizer]
    finally:
        del main["an_optimizer_of_a_test"]


def test_before_the_import_there_is_none() -> None:
    assert living("no_such_module", "Optimizer") == []
