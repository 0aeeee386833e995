"""Shelves: folders of lessons that are kept outside of this package.

One lies where `COURSE_LESSONS` says, a list of folders as `PATH` is one, or in an installed
package: its entry point in the group `course.lessons` names the (sub)package whose folder it is. A
shelf holds `<id>/lesson.toml`, and may hold faults of its own in `faults/` and the translations of
its texts in `locales/<language>/course.po`, as this project's own folders do. `shelf.toml` says in
which language its texts are written, if not in English.
"""

import contextlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from course.base import i18n, paths, schema
from course.base.errors import UserError
from course.base.i18n import _, about
from course.base.schema import Place

VARIABLE = "COURSE_LESSONS"
GROUP = "course.lessons"
FILE = "shelf.toml"
FORMAT = 1


@dataclass(frozen=True)
class Shelf:
    """A folder of lessons kept elsewhere; `package` is the one that brings it, if any does."""

    folder: Path
    package: str = ""

    @property
    def locales(self) -> Path:
        """The folder of the translations of its texts, which may not exist."""
        return self.folder / "locales"

    @property
    def language(self) -> str:
        """The language that its texts are written in: English, unless `shelf.toml` says another.

        Raises:
            UserError: the file can't be read, or names a language that there is not.

        """
        file = self.folder / FILE
        if not file.is_file():
            return i18n.SOURCE
        named = schema.read(_Settings, file, FORMAT, UserError).language
        if named not in i18n.available():
            told = schema.refused("language", named, i18n.available())
            raise schema.wrong(Place(file, UserError), told)
        return named


@dataclass(frozen=True)
class _Settings:
    """What `shelf.toml` says."""

    language: str


def named() -> list[Path]:
    """Return the folders that `COURSE_LESSONS` names; they may not exist."""
    names = os.environ.get(VARIABLE, "").split(os.pathsep)
    return [Path(name).expanduser().absolute() for name in names if name.strip()]


def found() -> list[Shelf]:
    """All shelves, those that are named first; each once. Their texts are translated from now on.

    Raises:
        UserError: one is not there.

    """
    by_folder = {os.path.realpath(paths.lessons()): Shelf(paths.lessons())}
    for shelf in (*map(_checked, named()), *_installed()):
        by_folder.setdefault(os.path.realpath(shelf.folder), shelf)
    _ours, *others = by_folder.values()
    i18n.look_beside(shelf.locales for shelf in others)
    return others


def gather(pattern: str, name: Callable[[Path], str]) -> dict[str, Path]:
    """Gather the files of a kind by ids: the project's, then each shelf's, in order of names.

    Raises:
        UserError: two files have the same id, or a shelf is not there.

    """
    files: dict[str, Path] = {}
    for folder in (paths.lessons(), *(shelf.folder for shelf in found())):
        for file in sorted(folder.glob(pattern)):
            first = files.setdefault(name(file), file)
            if first != file:
                sentence = _("{name} exists twice: {first} and {second}. Rename one of them.")
                places = {"first": f"`{first}`", "second": f"`{file}`"}
                raise UserError(sentence.format(name=f"`{name(file)}`", **places))
    return files


def of(file: Path) -> Shelf | None:
    """Return the shelf that a file of a lesson or a fault lies on; None for a built-in one."""
    return next((shelf for shelf in found() if file.is_relative_to(shelf.folder)), None)


def are_told_of(sentence: str) -> bool:
    """Whether a sentence names a file on a shelf: then its author can mend what it complains of."""
    with contextlib.suppress(UserError):
        return any(str(shelf.folder) in sentence for shelf in found())
    return False


def environment() -> dict[str, str]:
    """Make the variables that tell of all shelves, for a process that does not see them."""
    folders = os.pathsep.join(str(shelf.folder) for shelf in found())
    return {VARIABLE: folders} if folders else {}


def _checked(folder: Path) -> Shelf:
    if (folder / "lesson.toml").is_file():
        sentence = _(
            "`COURSE_LESSONS` is {folder}, but that is a lesson. Use the parent folder {parent}."
        )
        names = {"folder": f"`{folder}`", "parent": f"`{folder.parent}`"}
        raise UserError(sentence.format(**names))
    if not folder.is_dir():
        sentence = _("There is no folder {folder}. Create it first.").format(folder=f"`{folder}`")
        raise UserError(about("`COURSE_LESSONS`", sentence))
    return Shelf(folder)


@cache
def _installed() -> tuple[Shelf, ...]:
    """Return the shelves of installed packages; none of these is imported for it.

    The library that reads entry points takes longer to load than most commands do altogether. So it
    is asked only where a file of entry points names our group.
    """
    if not any(_names_group(Path(place)) for place in sys.path):
        return ()
    from importlib.metadata import entry_points

    return tuple(
        _shelf_of(entry.dist.name if entry.dist else entry.name, entry.module)
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    )


def _names_group(place: Path) -> bool:
    for file in place.glob("*-info/entry_points.txt"):
        with contextlib.suppress(OSError):
            if f"[{GROUP}]".encode() in file.read_bytes():
                return True
    return False


def _shelf_of(package: str, module: str) -> Shelf:
    """Find the shelf of an installed package: the folder of a module, which is not imported.

    Raises:
        UserError: there is no such module, or it is no folder.

    """
    from importlib.util import find_spec

    top, *inner = module.split(".")
    try:
        # Of a module within a package, Python would import the package to find it.
        spec = find_spec(top)
    except (ImportError, ValueError):
        spec = None
    places = (spec.submodule_search_locations or ()) if spec is not None else ()
    folder = next((f for f in (Path(p, *inner) for p in places) if f.is_dir()), None)
    if folder is None:
        sentence = _("{package} says that its lessons are in {module}, but that folder is missing.")
        raise UserError(sentence.format(package=f"`{package}`", module=f"`{module}`"))
    return Shelf(folder.absolute(), package)
