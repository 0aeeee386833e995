"""What the two files of a pair held when they last had the same text.

One small JSON file a pair, in the user's state folder, replaced as a whole.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from course import files, paths
from course.ipynb.notebook import Notebook
from course.notebook.pair import Pair

FORMAT = 1


@dataclass(frozen=True)
class Note:
    """Digests: of the cells of either file as a script has them, and of both as they lie there."""

    notebook: str
    script: str
    both: str

    @property
    def same(self) -> bool:
        """Whether the cells of both are the same."""
        return self.notebook == self.script


def of(book: Notebook, script: str, before: Sequence[Any], cells: Sequence[Any]) -> Note:
    """What is to be noted of two files; `before` and `cells` are those of either as a script."""

    def about(found: Sequence[Any]) -> str:
        return _digest([[c["cell_type"], c["source"], c["metadata"]] for c in found])

    return Note(about(before), about(cells), both(book, script))


def both(book: Notebook, script: str) -> str:
    """What changes when anything does in either file that the other could have, too."""
    return _digest([[[c.kind, c.source, c.metadata] for c in book.cells], script])


def key(pair: Pair) -> str:
    """A name for a pair, by where it lies."""
    return hashlib.sha256(os.path.realpath(pair.notebook).encode()).hexdigest()[:16]


def known(pair: Pair) -> Note | None:
    """What was noted last; None for nothing, or what lies there damaged."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        document = json.loads(_file(pair).read_text("utf-8"))
        if document.pop("format") == FORMAT:
            del document["path"]
            return Note(**document)
    return None


def keep(pair: Pair, note: Note) -> bool:
    """Note it; False where that could not be done, and what was noted before stands."""
    document = {"format": FORMAT, "path": str(pair.notebook.absolute()), **asdict(note)}
    path = _file(pair)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, json.dumps(document, indent=2).encode())
    except OSError:
        return False
    return True


def _file(pair: Pair) -> Path:
    return paths.state() / "pairs" / f"{key(pair)}.json"


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
