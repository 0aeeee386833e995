"""Labels of words in losses of one's own: is the padding behind the texts taught as a class?"""

from collections.abc import Mapping
from typing import Any

from course_probe.vital_signs.data.examples import IGNORED

ENOUGH = 3
"""Batches that tell something."""
SHARE = 0.1
"""The share of the places of a batch that are padding, at least."""


class PaddedLabels:
    """The share of batches in which all padding has one label, which words have, too."""

    def __init__(self) -> None:
        self._looked = self._found = 0

    def note(self, target: Any, ids: Any, named: Mapping[str, Any]) -> None:
        """Take in a loss over classes, one a word: its target, the token ids, its arguments."""
        is_plain = named.get("reduction", "mean") == "mean" and named.get("weight") is None
        if ids is None or not is_plain or target.is_floating_point():
            return
        padding = _padding(ids)
        if padding is None:
            return
        labels = target.reshape(ids.shape)
        words = ~padding[:, 1:]
        if bool((labels[:, :-1].to(ids.device) == ids[:, 1:])[words].all()):
            return  # The next words are wanted, and padding may well tell the end of a text.
        of_padding, of_words = labels[padding.to(labels.device)], labels[~padding.to(labels.device)]
        label = int(of_padding[0])
        ignored = named.get("ignore_index", IGNORED)
        self._looked += 1
        self._found += (
            label != ignored
            and bool((of_padding == label).all())
            and bool((of_words == label).any())
            and len(of_words.unique()) > 1
        )

    def figures(self) -> dict[str, float]:
        """The share of these batches; nothing where there are too few."""
        if self._looked < ENOUGH:
            return {}
        return {"padding_as_class": self._found / self._looked}


def _padding(ids: Any) -> Any:
    """The places of the token that ends rows of several lengths, and stands nowhere else."""
    if ids.ndim != 2 or len(ids) < 2:
        return None
    (shortest,) = (ids == ids[:, -1:]).flip(1).int().cumprod(1).sum(1).argmax().reshape(1).tolist()
    padding = ids == ids[shortest, -1]
    trailing = padding.flip(1).int().cumprod(1).flip(1).bool()
    lengths = (~trailing).sum(1)
    is_padding = (
        bool((padding == trailing).all())
        and float(padding.float().mean()) >= SHARE
        and len(lengths.unique()) > 1
        and int(lengths.min()) > 0
    )
    return padding if is_padding else None
