"""A training that goes on in evaluation mode, once something has been evaluated."""

import sys
from typing import Any

LOOKED = 3
"""Passes whose network is looked through for dropout."""
FEWEST_BEFORE, FEWEST_AFTER = 5, 20
"""Losses before the first evaluation, and after it, that tell something."""


class LostMode:
    """The modes in which the networks of one script are trained.

    Of losses in training mode it `wants_more` until one has come after an evaluation. A network
    that `is_asked_first`, in evaluation mode and before any training, may have been left in it.
    """

    def __init__(self) -> None:
        self._looked = 0
        self._rate = 0.0
        self._before = 0
        self._after = {True: 0, False: 0}
        self.is_asked_first = False
        self.wants_more = True

    def note_pass(self, model: Any) -> None:
        """A network in evaluation mode has computed something that gradients are wanted for."""
        if self._looked < LOOKED:
            self._looked += 1
            kind = sys.modules["torch"].nn.modules.dropout._DropoutNd
            rates = (each.p for each in model.modules() if isinstance(each, kind))
            self._rate = max(self._rate, *rates, 0.0)

    def note_training(self, training: bool, *, has_evaluated: bool) -> None:
        """A loss has gone backward, of passes in `training` mode or not."""
        if has_evaluated:
            self._after[training] += 1
            self.wants_more = not self._after[True]
        else:
            self._before += training

    def figures(self, *, is_fresh: bool) -> dict[str, float]:
        """The rate of dropout that was lost; nothing where no mode was, or too little is known.

        One that never was at work tells something where all networks are fresh: what is loaded
        comes in evaluation mode.
        """
        if self._after[False] < FEWEST_AFTER or self._after[True] or not self._rate:
            return {}
        if self._before >= FEWEST_BEFORE:
            return {"dropout_lost": float(self._rate)}
        is_never = is_fresh and self.is_asked_first and not self._before
        return {"dropout_never": float(self._rate)} if is_never else {}
