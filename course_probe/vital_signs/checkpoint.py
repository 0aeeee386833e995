"""Whether a model's embeddings are those of the checkpoint whose name it has."""

from typing import Any

ROWS = 64
"""Tokens whose embeddings are compared."""
ALIKE = 0.5
"""The cosine of two embeddings from which on they are the same, trained for a while or not."""
FILE = "model.safetensors"


def unlike(model: Any, name: str, tokens: list[int]) -> set[int]:
    """Find the tokens whose embeddings are others; none where the checkpoint can't be read."""
    from safetensors import safe_open
    from transformers.utils.hub import cached_file

    table = model.get_input_embeddings().weight
    path = cached_file(name, FILE, _raise_exceptions_for_missing_entries=False)
    own = next((key for key, each in model.named_parameters() if each is table), "")
    if path is None or not own:
        return set()
    with safe_open(path, framework="pt") as kept:
        end = ".".join(own.split(".")[-3:])
        names = list(kept.keys())
        there = next((key for key in names if key.endswith(end)), None)
        if there is None:
            return set()
        rows = kept.get_slice(there)
        length = rows.get_shape()[0]
        compared = [each for each in tokens[:ROWS] if each < length]
        same = {each for each in compared if _cosine(table[each], rows[each : each + 1][0]) > ALIKE}
    other = {*compared} - same
    # Of the tokens that are not compared, as many are others.
    return {*tokens} if 2 * len(other) > len(compared) else other


def _cosine(one: Any, other: Any) -> float:
    one, other = one.detach().cpu().double(), other.double()
    return float(one @ other / (one.norm() * other.norm()).clamp(min=1e-12))
