"""Find names that exist and are spelt nearly as one that does not.

Nothing of a learner's is called but what `dir` calls: keys are read as a plain dictionary has them.
"""

import builtins
import difflib
import linecache
import re
import sys
from collections.abc import Iterable
from functools import partial
from types import FrameType
from typing import Any, cast

NEAR = 0.8
"""From here on two spellings are near: `modle` and `model` are, `eval_loader` and `train_loader`
are not."""
MOST = 3
LONGEST = 100
"""Characters of a name that is looked at."""
WORD = re.compile(r"[^\W\d]\w*")
COLUMN = re.compile(r"olumn\D*?\[?'?([\w.-]+)'?\]? not in the dataset\. .*?: \[([^\]]*)\]")
NO_COLUMN = re.compile(r"\AColumn '([^']+)' doesn't exist\.")
"""How `datasets` says that there is no such column: the first one says which there are."""
IDENTIFIER = re.compile(r"Could not interpret [\w ]+ identifier: '?(\w+)'?\Z")
"""How Keras says that there is no loss, metric or activation of this name."""
KERAS = ("losses", "metrics", "optimizers", "activations", "initializers", "regularizers")
IMPORTED = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")


def find(error: BaseException, frame: FrameType, line: int) -> list[str]:
    """Find the names nearest to the one that an error is about, the nearest first; usually none.

    `frame` is the one that raised, at its line `line`. Whatever goes wrong here, the error itself
    is what counts.
    """
    try:
        asked, known = _asked(error, frame, line)
        return _near(asked, known) if asked else []
    except Exception:  # noqa: BLE001 - an object may do anything when it is asked for its names
        return []


def original(error: BaseException) -> BaseException:
    """Return the error that a library has raised again, of the same kind, with more words."""
    inner = error.__context__
    is_same = type(inner) is type(error) and bool(str(inner)) and str(inner) in str(error)
    return original(inner) if is_same and inner is not None else error


def _asked(error: BaseException, frame: FrameType, line: int) -> tuple[str, Iterable[Any]]:
    """Return the name that an error is about, and the names that could replace it."""
    if isinstance(error, NameError):
        name = getattr(error, "name", None) or ""
        # One that is used again and again is spelt as it is meant: what makes it is missing.
        if _is_used_again(name, frame):
            return "", ()
        return name, (*frame.f_locals, *frame.f_globals, *dir(builtins))
    if isinstance(error, AttributeError):
        owner = getattr(error, "obj", None)
        if owner is None:
            return "", ()
        return getattr(error, "name", None) or "", (*dir(owner), *_entries(owner))
    if isinstance(error, ImportError):
        found = IMPORTED.search(str(error))
        return (found[1], dir(sys.modules[found[2]])) if found else ("", ())
    if isinstance(error, ValueError):
        identifier = IDENTIFIER.search(str(error))
        if identifier is not None:
            return identifier[1], _identifiers(frame)
        return _column(str(error), frame)
    if isinstance(error, KeyError) and error.args and type(error.args[0]) is str:
        return error.args[0], _keys(frame, line)
    return "", ()


def _is_used_again(name: str, frame: FrameType) -> bool:
    text = "".join(linecache.getlines(frame.f_code.co_filename))
    return len(re.findall(rf"\b{re.escape(name)}\b", text)) > 1


def _column(message: str, frame: FrameType) -> tuple[str, Iterable[Any]]:
    """Return the column that a dataset was asked for, and those that it has."""
    listed = COLUMN.search(message)
    if listed is not None:
        return listed[1], WORD.findall(listed[2])
    asked, library = NO_COLUMN.search(message), sys.modules.get("datasets")
    if asked is None or library is None:
        return "", ()
    sets = [v for v in frame.f_locals.values() if issubclass(type(v), library.Dataset)]
    return asked[1], [name for each in sets for name in each.column_names]


def _identifiers(frame: FrameType) -> Iterable[Any]:
    """Return the names that the module which raised knows things by, and those that Keras adds.

    Keras may have taken that module out of the traceback: then those of all that it has.
    """
    raised = frame.f_globals.get("ALL_OBJECTS_DICT")
    modules = [sys.modules.get(f"keras.src.{name}") for name in KERAS]
    listed = [raised] if raised else [getattr(m, "ALL_OBJECTS_DICT", None) for m in modules]
    return (*(key for each in listed for key in _entries(each)), "accuracy", "crossentropy")


def _keys(frame: FrameType, line: int) -> Iterable[Any]:
    """Yield the keys of the mappings that the line which raised is about, and of `self`."""
    words = set(WORD.findall(linecache.getline(frame.f_code.co_filename, line)))
    seen = {**frame.f_globals, **frame.f_locals}
    for name in sorted(words & seen.keys() | {"self"}.intersection(frame.f_locals)):
        yield from _entries(seen[name])


def _entries(value: object) -> Iterable[Any]:
    """Yield the keys of a mapping; one that is not a dict has them in an attribute."""
    if issubclass(type(value), dict):
        yield from dict.keys(cast(dict[Any, Any], value))
        return
    if issubclass(type(value), type):
        return
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return
    for each in dict.values(attributes):
        if issubclass(type(each), dict):
            yield from dict.keys(each)


def _near(asked: str, known: Iterable[Any]) -> list[str]:
    """Find the names nearest to one, whatever their case; private ones only for a private one."""
    names: dict[str, set[str]] = {}
    for name in known:
        is_meant = type(name) is str and name != asked and len(name) <= LONGEST
        if is_meant and name.startswith("_") <= asked.startswith("_"):
            names.setdefault(name.lower(), set()).add(name)
    found = difflib.get_close_matches(asked[:LONGEST].lower(), names, n=MOST, cutoff=NEAR)
    return [max(sorted(names[name]), key=partial(_likeness, asked)) for name in found]


def _likeness(asked: str, name: str) -> float:
    return difflib.SequenceMatcher(None, asked, name).ratio()
