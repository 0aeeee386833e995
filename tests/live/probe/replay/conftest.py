"""What the tests of a replay begin with."""

from collections.abc import Iterator

import pytest
import torch

from course_probe import forked


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Let steps be small, and a child be had beside the threads of the tests' own process."""
    forked.know_threads()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
