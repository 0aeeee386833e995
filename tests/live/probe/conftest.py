"""What the tests of the probe begin with."""

import signal
from collections.abc import Iterator

import pytest
import torch

from course_probe import forked


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Draw the same weights and drop the same units in every run."""
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def no_mode_left() -> Iterator[None]:
    """Fail a test that leaves a mode behind: it would stand between later tests and PyTorch."""
    yield
    left = []
    while torch._C._len_torch_function_stack():
        left.append(torch._C._pop_torch_function_stack())
    assert not left


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Take what other tests have left in this process for what was there before a script.

    One thread computes, as in a script that `course run` starts: steps are small.
    """
    forked.know_threads()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    before = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    yield
    if before is not None:
        signal.signal(signal.SIGCHLD, before)
    torch.set_num_threads(threads)
