"""Find what a script has made and still holds, where nothing tells when it was made."""

import gc
import sys
from typing import Any


def living(module: str, kind: str) -> list[Any]:
    """Return the objects of a class of this module, the newest first; none before its import.

    Those that the script has given names are found at once, and others are all looked for.
    """
    found = getattr(sys.modules.get(module), kind, None)
    if found is None:
        return []
    own = vars(sys.modules["__main__"]).values()
    named = [each for each in reversed([*own]) if issubclass(type(each), found)]
    return named or [
        each
        for generation in range(3)
        for each in reversed(gc.get_objects(generation))
        if issubclass(type(each), found)
    ]


def tokenizer() -> Any:
    """Return the tokenizer that the script has made last; None where there is none."""
    found = living("transformers.tokenization_utils_base", "PreTrainedTokenizerBase")
    return found[0] if found else None
