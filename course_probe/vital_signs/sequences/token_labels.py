"""Labels beside the token ids that they belong to: what of them counts, and where they stand."""

from collections import Counter
from typing import Any

from course_probe.vital_signs.data.examples import IGNORED

CLOSELY = 20
"""Training passes that are looked at each; of the later ones every fiftieth."""
SELDOM = 50
FEWEST = 20
"""Places that have to be seen before a share of them says anything."""
SEVERAL = 2
"""Texts whose first tokens tell anything beside each other."""
SPECIAL = 2
"""Places of a text that a tokenizer adds, at least: its beginning and its end."""
SHIFTING = ("ForCausalLM", "LMHeadModel", "DoubleHeadsModel")
"""Ends of the names of models that shift the labels by themselves."""


class TokenLabels:
    """Shares of places in the batches of a model of `transformers` that were looked at."""

    def __init__(self) -> None:
        self._passes = 0
        self._counts: Counter[str] = Counter()

    def note(self, model: Any, named: dict[str, Any]) -> None:
        """Look at the inputs of a pass that trains."""
        self._passes += 1
        if self._passes > CLOSELY and self._passes % SELDOM:
            return
        ids: Any = named.get("input_ids")
        labels: Any = named.get("labels")
        mask: Any = named.get("attention_mask")
        if getattr(ids, "ndim", 0) != 2 or getattr(labels, "ndim", 0) not in (1, 2):
            return
        shifts = type(model).__name__.endswith(SHIFTING)
        if getattr(mask, "shape", None) != ids.shape:
            mask = None
        config = getattr(model, "config", None)
        pad = getattr(config, "pad_token_id", None)
        if isinstance(pad, int) and not shifts:
            self._look_at_attention(ids, mask, pad)
        if labels.ndim == 2 and getattr(config, "is_encoder_decoder", False):
            self._look_at_targets(labels, pad)
        elif labels.shape == ids.shape:
            self._look_at_labels(labels, mask)
            if mask is not None and not shifts:
                self._look_at_ends(ids, labels, mask)
            if shifts:
                self._look_at_shift(ids, labels, mask, getattr(config, "eos_token_id", None))

    def _look_at_attention(self, ids: Any, mask: Any, pad: int) -> None:
        """How much of the padding behind the texts is attended to."""
        trailing = (ids == pad).flip(1).int().cumprod(1).flip(1).bool()
        if int((trailing.sum(1) > 1).sum()) * 10 < len(ids):
            return
        self._counts["padding"] += int(trailing.sum())
        attended = trailing if mask is None else trailing & (mask != 0)
        self._counts["attended"] += int(attended.sum())

    def _look_at_targets(self, labels: Any, pad: Any) -> None:
        """How much of the padding behind the texts to be written counts in the loss."""
        if isinstance(pad, int):
            trailing = (labels == pad).flip(1).int().cumprod(1).flip(1).bool()
            counted = int(trailing.sum())
            self._counts["unlabelled"] += counted + int((labels == IGNORED).sum())
            self._counts["counted"] += counted

    def _look_at_labels(self, labels: Any, mask: Any) -> None:
        """How much of the padding counts in the loss."""
        if mask is not None:
            padding = mask == 0
            self._counts["unlabelled"] += int(padding.sum())
            self._counts["counted"] += int((padding & (labels != IGNORED)).sum())

    def _look_at_ends(self, ids: Any, labels: Any, mask: Any) -> None:
        """How many texts have labels from the first place on, one by one, and none at their end.

        Only where all begin with one token, as a tokenizer has them begin; what stands at the end
        of a row again and again is padding, whatever the mask says.
        """
        if len(ids) < SEVERAL or bool((ids[:, 0] != ids[0, 0]).any()):
            return
        last = ids[:, -1:]
        padding = (ids == last).flip(1).int().cumprod(1).flip(1).bool()
        is_padded = padding.sum(1, keepdim=True) > 1
        real = ((mask != 0) & ~(padding & is_padded)).sum(1)
        counts = labels != IGNORED
        leading = counts.int().cumprod(1).sum(1)
        short = (leading > 0) & (leading == counts.sum(1)) & (real - leading >= SPECIAL)
        self._counts["texts"] += len(labels)
        self._counts["ending_early"] += int(short.sum())

    def _look_at_shift(self, ids: Any, labels: Any, mask: Any, eos: Any) -> None:
        """Are the labels the ids of the same place, or of the next? Is the end of a text one?"""
        counts = labels[:, :-1] != IGNORED
        self._counts["labels"] += int(counts.sum())
        self._counts["in_place"] += int((counts & (labels[:, :-1] == ids[:, :-1])).sum())
        self._counts["ahead"] += int((counts & (labels[:, :-1] == ids[:, 1:])).sum())
        if isinstance(eos, int):
            ends = ids[:, 1:] == eos
            if mask is not None:
                ends &= mask[:, 1:] != 0
            self._counts["ends"] += int(ends.sum())
            self._counts["ends_ignored"] += int((ends & (labels[:, 1:] == IGNORED)).sum())

    def figures(self) -> dict[str, float]:
        """Those shares of which enough was seen."""
        pairs = {
            "padding_attended": ("attended", "padding"),
            "padding_in_loss": ("counted", "unlabelled"),
            "labels_in_place": ("in_place", "labels"),
            "labels_ahead": ("ahead", "labels"),
            "ends_ignored": ("ends_ignored", "ends"),
            "labels_end_early": ("ending_early", "texts"),
        }
        return {
            figure: self._counts[part] / self._counts[whole]
            for figure, (part, whole) in pairs.items()
            if self._counts[whole] >= FEWEST
        }
