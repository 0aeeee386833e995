"""The TOML files that authors write: read, and what is said where they break their format.

A lesson is written by people who may know no Python, so whatever is wrong with one of its files is
told as one sentence that names the file, the table and the key.
"""

import contextlib
import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from course import paths
from course.errors import ContentError
from course.i18n import N_, _, in_a_row

Kind = Literal["text", "texts", "whole", "number", "flag", "table", "tables", "any"]
KINDS: dict[Kind, str] = {
    "text": N_("a text"),
    "texts": N_("a list of texts"),
    "whole": N_("a whole number"),
    "number": N_("a number"),
    "flag": N_("`true` or `false`"),
    "table": N_("a table"),
    "tables": N_("a list of tables"),
}
"""What a value must be, in words."""


def shown(path: Path) -> str:
    """A path as authors know it: from the root of the checkout on."""
    root = paths.data()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def read(source: Path) -> dict[str, Any]:
    """The tables of one file.

    Raises:
        ContentError: it is not there, or not TOML.

    """
    file = f"`{shown(source)}`"
    try:
        return tomllib.loads(source.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ContentError(_("There is no file {file}.").format(file=file)) from error
    except (OSError, ValueError) as error:
        sentence = _("{file} is not valid TOML: {error}.")
        raise ContentError(sentence.format(file=file, error=error)) from error


def check(
    value: Any, where: str, needed: Mapping[str, Kind], optional: Mapping[str, Kind] | None = None
) -> dict[str, Any]:
    """A table, once its keys are known to be those of the format, and its values of their kinds.

    `where` names file and table. A key that is `needed` must be there.

    Raises:
        ContentError: one is unknown, missing or of another kind; names it.

    """
    kinds = {**needed, **(optional or {})}
    if not isinstance(value, dict):
        kind = KINDS["table"]
        raise wrong(where, _("wanted is: {kind}.").format(kind=_(kind)))
    for key in value:
        if key not in kinds:
            sentence = _("unknown key {name}.").format(name=f"`{key}`")
            raise wrong(where, suggest(sentence, key, kinds))
    for key in needed:
        if key not in value:
            raise wrong(where, _("the key {name} is missing.").format(name=f"`{key}`"))
    for key, found in value.items():
        if not _is(found, kinds[key]):
            sentence = _("the value of {name} is of the wrong kind; wanted is: {kind}.")
            raise wrong(where, sentence.format(name=f"`{key}`", kind=_(KINDS[kinds[key]])))
    return value


def wrong(where: str, sentence: str) -> ContentError:
    """What is wrong, and where."""
    # Translators: where something is wrong (file, table), then what: the start of it in lower case.
    return ContentError(_("{where}: {sentence}").format(where=where, sentence=sentence))


@contextlib.contextmanager
def at(where: str) -> Iterator[None]:
    """Whatever goes wrong in here comes of a value that the format has no use for.

    Raises:
        ContentError: it has gone wrong; says where.

    """
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"{type(error).__name__}: {error}"
        sentence = _("a value is not of the format ({error}).").format(error=what)
        raise wrong(where, sentence) from error


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like this one, or nothing."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)), "")


def suggest(sentence: str, name: str, known: Iterable[str]) -> str:
    """A sentence about a name that is unknown, and the known one that is most like it."""
    near = nearest(name, known)
    return (
        in_a_row(sentence, _("Did you mean {near}?").format(near=f"`{near}`")) if near else sentence
    )


def _is(value: Any, kind: Kind) -> bool:
    if kind in ("texts", "tables"):
        return isinstance(value, list) and all(isinstance(v, _TYPES[kind]) for v in value)
    if kind in ("whole", "number") and isinstance(value, bool):
        return False
    return isinstance(value, _TYPES[kind])


_TYPES: dict[Kind, type | tuple[type, ...]] = {
    "text": str,
    "texts": str,
    "whole": int,
    "number": (int, float),
    "flag": bool,
    "table": dict,
    "tables": dict,
    "any": object,
}
