"""Tables of sentences and names that ship with the program, as TOML."""

from functools import cache
from typing import Any

from course.base import paths, schema

FOLDER = paths.PACKAGE / "tables"


@cache
def load(name: str) -> dict[str, Any]:
    """Load a file of tables, by its name without the ending; the lines of a text are joined."""
    tables = schema.load(FOLDER / f"{name}.toml")
    return {table: _joined(value) for table, value in tables.items()}


def _joined(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _joined(inner) for name, inner in value.items()}
    return " ".join(value.split()) if isinstance(value, str) else value


def sentences(table: str) -> dict[str, str]:
    """Return the English sentences of a table of messages by their ids, to be translated."""
    return dict(load("messages")[table])
