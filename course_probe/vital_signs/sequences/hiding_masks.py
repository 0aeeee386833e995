"""Masks that hide places from attention, beside the token ids: is it the padding that they hide?

What is padding, nobody has to say. A mask that leaves nothing but one token, the last one of some
rows and the first of none, and leaves it wherever it stands, leaves the padding.
"""

import sys
from typing import Any

from course_probe.vital_signs.weak import WeakTensors

CALLS = 2000
"""Masks that are looked at."""
LOOKS = 12
"""Those of which it is known what they hide."""
ENOUGH = 3
FEWEST = 2
"""Places of padding in a batch that count."""
HIDING = -1e3
"""Up to this number, a place gets no attention."""


class HidingMasks:
    """The masks of one script, given in so many `calls`."""

    def __init__(self) -> None:
        self.calls = 0
        self._looks = self._inverted = self._weak = 0

    @property
    def is_full(self) -> bool:
        """Whether no more is looked at."""
        return self.calls >= CALLS or self._looks >= LOOKS

    def note(self, mask: Any, ids: WeakTensors) -> None:
        """Take in a mask that is True where a place is hidden, with the ids of the last passes."""
        hidden, known = self._hidden(mask, ids)
        if hidden is None:
            return
        leaves_padding, hides_padding = (_is_padding(each, known) for each in (~hidden, hidden))
        if leaves_padding != hides_padding:
            self._looks += 1
            self._inverted += leaves_padding

    def note_weak(self, mask: Any, ids: WeakTensors) -> None:
        """Take in a mask whose places got a number before a softmax that hides nothing."""
        hidden, known = self._hidden(mask, ids)
        if hidden is not None and _is_padding(hidden, known):
            self._looks += 1
            self._weak += 1

    def _hidden(self, mask: Any, ids: WeakTensors) -> tuple[Any, Any]:
        """The places that a mask hides, and the ids beside them; None for other masks."""
        torch = sys.modules["torch"]
        if type(mask) is not torch.Tensor or self.is_full or mask.ndim < 2:
            return None, None
        self.calls += 1
        shape = (len(mask), int(mask.shape[-1]))
        known = ids.get(shape)
        if known is None and (turned := ids.get(shape[::-1])) is not None:
            known = turned.T
        if known is None or mask.numel() != known.numel():
            return None, None
        hidden = mask.detach().reshape(shape)
        if hidden.is_floating_point():
            hidden = hidden <= HIDING
        return hidden.to(known.device, torch.bool), known

    def figures(self) -> dict[str, float]:
        """Shares of the masks that hide the words, or nothing; none where there are too few."""
        if self._looks < ENOUGH:
            return {}
        return {
            "masks_inverted": self._inverted / self._looks,
            "masks_too_weak": self._weak / self._looks,
        }


def _is_padding(places: Any, ids: Any) -> bool:
    """Whether these places are all those of one token, which ends rows and begins none."""
    there = ids[places]
    if len(there) < FEWEST or bool(places[:, 0].any()) or not bool(places[:, -1].any()):
        return False
    token = there[0]
    return bool((there == token).all()) and not bool((ids[~places] == token).any())
