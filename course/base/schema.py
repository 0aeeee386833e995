"""Read TOML files into dataclasses, by their annotations.

The files are written by people who may know no Python: whatever is wrong with one is told as one
sentence that names the file, the table and the key.

A field is `str`, `int`, `float` (a whole number stays one), `bool`, `Path` (the name of a file
beside the one that is read), `Literal`, `Any`, a dataclass, a `tuple` or `frozenset` of texts or of
dataclasses, `dict[str, …]`, or a union of these. One with a default may be left out. One that is
annotated with `As` is first read as something else. `As` and `__post_init__` raise `Unfit` for what
the types can't say.
"""

import dataclasses
import difflib
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from course.base import paths
from course.base.errors import ContentError
from course.base.i18n import _, about, enumerate_words, in_a_row

T = TypeVar("T")

KINDS: dict[Any, tuple[Any, str]] = {
    **dict.fromkeys((str, Path, Literal), (str, "string")),
    int: (int, "integer"),
    float: (int | float, "float"),
    bool: (bool, "boolean"),
    dict: (dict, "table"),
    "texts": (str, "array of strings"),
    "tables": (dict, "array of tables"),
    Any: (object, ""),
}
"""What a value in a file is of: its type, or that of each value in a list; and TOML's word."""


class Unfit(ValueError):
    """A value that the format has no use for: a sentence."""


@dataclasses.dataclass(frozen=True)
class As:
    """In `Annotated`: the file holds a value of `kind`, of which `make` makes that of the field."""

    kind: Any
    make: Callable[[Any], Any]


@dataclasses.dataclass(frozen=True)
class Place:
    """A table of a file. As a text it is what its author looks for: `file`, `[[fw.bug]]` 2.

    `error` is raised where something is wrong with it. `table` is the name that stands in
    brackets, `number` counts the tables of this name; `inner` is what lies within them.
    """

    file: Path
    error: type[Exception] = ContentError
    table: str = ""
    number: int = 0
    inner: str = ""

    def at(self, key: str, number: int = 0) -> "Place":
        """Return the place of a table, or of one in a list of tables, at `key`."""
        if self.inner or self.number or (self.table and not number):
            inner = f"{self.inner} `{key}` {number or ''}".rstrip()
            return dataclasses.replace(self, inner=inner)
        return dataclasses.replace(self, table=f"{self.table}.{key}".lstrip("."), number=number)

    def __str__(self) -> str:
        table = f", `[[{self.table}]]` {self.number}" if self.number else f", `[{self.table}]`"
        return f"`{shown(self.file)}`{table if self.table else ''}{self.inner}"


def shown(path: Path) -> str:
    """Return a path as authors know it: from the root of the checkout on."""
    root = paths.data()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def wrong(where: Place | str, sentence: str) -> Exception:
    """Make the error for a fault at a place: a `ContentError` unless the place says otherwise."""
    error = where.error if isinstance(where, Place) else ContentError
    return error(about(str(where), sentence))


def refused(option: str, name: str, known: Sequence[str]) -> str:
    """Say that an option or a key has no such value, and which it has."""
    sentence = _("{option} does not accept {name}.").replace("{option}", f"`{option}`")
    return suggest_or_list(sentence, name, known)


def not_of_form(text: str, form: str) -> str:
    """Say that a text is not written as it must be."""
    return _("{text} is not of the form {form}.").format(text=f"`{text}`", form=f"`{form}`")


def unknown(where: Place | str, key: str, known: Iterable[str]) -> Exception:
    """Make the error for a key of a table which is none of the known ones."""
    return wrong(where, suggest(_("unknown key {name}.").format(name=f"`{key}`"), key, known))


def missing(place: Place, key: str) -> Exception:
    """Return the error of a key that is missing at a place."""
    return wrong(place, _("{name} is missing.").format(name=f"`{key}`"))


def nearest(name: str, known: Iterable[str]) -> str:
    """Find the known name that is most like this one; return an empty text if there is none."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)), "")


def suggest(sentence: str, name: str, known: Iterable[str]) -> str:
    """Add the most similar known name to a sentence about a name that is unknown."""
    near = nearest(name, known)
    return (
        in_a_row(sentence, _("Did you mean {near}?").format(near=f"`{near}`")) if near else sentence
    )


def suggest_or_list(sentence: str, name: str, known: Iterable[str]) -> str:
    """Make a sentence about an unknown `{name}`, with the nearest known one or all there are."""
    choices = list(known)
    message = sentence.format(name=f"`{name}`")
    if nearest(name, choices):
        return suggest(message, name, choices)
    words = enumerate_words(f"`{each}`" for each in choices)
    return in_a_row(message, _("Choose one of {known}.").format(known=words))


def load(
    source: Path, version: int | None = None, error: type[Exception] = ContentError
) -> dict[str, Any]:
    """Load the tables of a file without its key `format`, which must be `version` if given.

    Raises:
        ContentError: it is not there, not TOML, or of another format; `error` if one is given.

    """
    file = f"`{shown(source)}`"
    try:
        data = tomllib.loads(source.read_text("utf-8"))
    except FileNotFoundError as reason:
        raise error(_("There is no file {file}.").format(file=file)) from reason
    except OSError as reason:
        sentence = _("{path} cannot be read: {reason}.")
        raise error(sentence.format(path=file, reason=reason.strerror or reason)) from reason
    except ValueError as reason:
        sentence = _("{file} is not valid TOML: {error}.")
        raise error(sentence.format(file=file, error=reason)) from reason
    if version is not None:
        if "format" not in data:
            raise missing(Place(source, error), "format")
        if (found := data.pop("format")) != version:
            raise wrong(Place(source, error), refused("format", str(found), [str(version)]))
    return data


def read(
    kind: type[T], source: Path, version: int | None = None, error: type[Exception] = ContentError
) -> T:
    """Read a whole file as a dataclass.

    Raises:
        ContentError: as `load` and `parse`; `error` if one is given.

    """
    return parse(kind, load(source, version, error), Place(source, error))


def parse(kind: type[T], table: Any, place: Place) -> T:
    """Parse a table as a dataclass.

    Raises:
        ContentError: a key is unknown or missing, or a value of another kind or unfit; names it.
            The place may name another exception for it.

    """
    if not isinstance(table, dict):
        raise wrong(
            place, _("a value does not have the required format ({error}).").format(error="`table`")
        )
    hints, needed = _fields(kind)  # type: ignore[arg-type]
    for key in table:
        if key not in hints:
            raise unknown(place, key, hints)
    for key in needed:
        if key not in table:
            raise missing(place, key)
    values = _values(table, hints, place)
    try:
        return kind(**values)
    except Unfit as error:
        raise wrong(place, str(error)) from error


@cache
def _fields(kind: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the type of each field of a dataclass, and the names of those without a default."""
    hints = get_type_hints(kind, include_extras=True)
    fields = [each for each in dataclasses.fields(kind) if each.init]
    none = dataclasses.MISSING
    needed = [f.name for f in fields if f.default is none and f.default_factory is none]
    return {f.name: hints[f.name] for f in fields}, needed


def _values(table: Mapping[str, Any], hints: Mapping[str, Any], place: Place) -> dict[str, Any]:
    for key, value in table.items():
        kinds = _kinds(hints[key])
        if not any(_is(value, kind) for kind in kinds):
            words = enumerate_words(f"`{KINDS[kind][1]}`" for kind in kinds)
            # Translators: a key of a file, and a type of TOML, or several.
            sentence = _("{name} must be of the type {kind}.")
            raise wrong(place, sentence.format(name=f"`{key}`", kind=words))
    return {key: _value(value, hints[key], place, key) for key, value in table.items()}


@cache
def _kinds(hint: Any) -> list[Any]:
    """Return the keys of `KINDS` for a value of a type in the file, where none is ever None."""
    origin, inner = get_origin(hint) or hint, get_args(hint)
    if origin is Annotated:
        return _kinds(next(mark.kind for mark in inner if isinstance(mark, As)))
    if origin in (Union, UnionType):
        return [kind for each in inner if each is not NoneType for kind in _kinds(each)]
    if origin in (tuple, frozenset):
        return ["tables" if _kinds(inner[0]) == [dict] else "texts"]
    return [dict if dataclasses.is_dataclass(origin) else origin]


def _is(value: Any, kind: Any) -> bool:
    wanted, _words = KINDS[kind]
    if kind in ("texts", "tables"):
        return isinstance(value, list) and all(isinstance(each, wanted) for each in value)
    return isinstance(value, wanted) and (kind in (bool, Any) or not isinstance(value, bool))


def _value(value: Any, hint: Any, place: Place, key: str, number: int = 0) -> Any:
    """Make the value of a field from one in the file that is of its kind."""
    origin, inner = get_origin(hint) or hint, get_args(hint)
    if origin is Annotated:
        mark = next(mark for mark in inner if isinstance(mark, As))
        value = _value(value, mark.kind, place, key, number)
        try:
            return mark.make(value)
        except Unfit as error:
            raise wrong(place, str(error)) from error
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"{type(error).__name__}: {error}"
            sentence = _("a value does not have the required format ({error}).").format(error=what)
            raise wrong(place.at(key), sentence) from error
    if origin in (Union, UnionType):
        some = [each for each in inner if each is not NoneType]
        fit = next(each for each in some if any(_is(value, kind) for kind in _kinds(each)))
        return _value(value, fit, place, key, number)
    if origin is Literal and value not in inner:
        raise wrong(place, refused(key, str(value), inner))
    if origin is Path:
        return place.file.parent / value
    if origin in (tuple, frozenset):
        return origin(_value(v, inner[0], place, key, n) for n, v in enumerate(value, start=1))
    if origin is dict and inner:
        return _values(value, dict.fromkeys(value, inner[1]), place.at(key))
    return parse(hint, value, place.at(key, number)) if dataclasses.is_dataclass(hint) else value  # type: ignore[arg-type]
