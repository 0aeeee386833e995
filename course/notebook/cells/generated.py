"""Cells that we wrote into a notebook, and how to tell them from the learner's own.

A mark in the cell's metadata holds what kind it is and a digest of its text: once the text is
another one, the cell is the learner's own, whatever the mark says.
"""

import hashlib
from typing import Any, Literal, get_args

CellKind = Literal["setup", "look", "text"]
"""What prepares the kernel, what looks into it, and prose."""
KEY = "course"


def mark(kind: CellKind, source: str) -> dict[str, Any]:
    """Make the metadata that mark a cell as generated, with the digest of its source."""
    return {KEY: {"generated": kind, "digest": _digest(source)}}


def kind(metadata: dict[str, Any], source: str) -> CellKind | None:
    """Return the kind of a cell that is as generated; None for one of the learner's own."""
    found = metadata.get(KEY)
    if not isinstance(found, dict) or found.get("digest") != _digest(source):
        return None
    return next((k for k in get_args(CellKind) if k == found.get("generated")), None)


def _digest(source: str) -> str:
    # Editors add and drop white space at the end of cells.
    return hashlib.sha256(source.rstrip().encode("utf-8", "surrogatepass")).hexdigest()[:12]
