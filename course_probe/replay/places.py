"""Places of a tensor that stand for all of it."""

import sys
from typing import Any

NUMBERS = 1024
"""Places of a parameter that are compared."""


def places(tensor: Any) -> Any:
    """Copy some numbers of a tensor, from places that are spread over it."""
    numbers = tensor.detach().reshape(-1)
    if numbers.is_complex():
        numbers = sys.modules["torch"].view_as_real(numbers).reshape(-1)
    return numbers[:: -(-numbers.shape[0] // NUMBERS) or 1].float().clone()
