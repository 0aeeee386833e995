"""What the tests of the probe begin with."""

import pytest
import torch


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Draw the same weights and drop the same units in every run."""
    torch.manual_seed(0)
