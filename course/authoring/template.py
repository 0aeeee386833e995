"""Lessons to begin with: small, and they hold as they are. An author changes one from there.

There is one of each kind; one that brings data and a checkpoint of its own names both by its id.
"""

import re
import tomllib
from pathlib import Path

from course.base import i18n, paths, schema, shelves
from course.base.errors import UserError
from course.base.i18n import _
from course.lesson import lesson as lessons

ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
PLACE = "@ID@"
"""Where the lesson's id goes in the texts of a template."""
USUAL = "pairs"
SUFFIX = ".txt"
"""Ends the names of a template's files: no other reader takes them for a lesson's."""


def kinds() -> list[str]:
    """List the kinds of templates; the first is the usual one."""
    found = sorted(folder.name for folder in _templates().iterdir() if folder.is_dir())
    return sorted(found, key=lambda kind: kind != USUAL)


def frameworks(kind: str = USUAL) -> list[str]:
    """List the frameworks that a kind has a template for, by their ids."""
    return sorted(folder.name for folder in (_templates() / kind).iterdir() if folder.is_dir())


def make(lesson: str, framework: str, kind: str = USUAL) -> list[Path]:
    """Write the files of a new lesson, and say where they are; the lesson's own file is the first.

    It goes into the first folder that `COURSE_LESSONS` names, which is made if need be; without
    one, into the checkout. Its texts are in the language of that folder, which in a new one is the
    author's.

    Raises:
        UserError: the id is none, the lesson is there already, or there is no place for it.
        OSError: it can't be written.

    """
    if not ID.fullmatch(lesson):
        raise UserError(no_id(lesson))
    shelf = next(iter(shelves.named()), None)
    if shelf is None and not paths.is_checkout():
        raise UserError(no_shelf())
    (shelf or paths.lessons()).mkdir(parents=True, exist_ok=True)
    folder = lessons.folders().get(lesson, (shelf or paths.lessons()) / lesson)
    if folder.exists():
        sentence = _("{path} already exists and was not changed. Choose another name.")
        raise UserError(sentence.format(path=f"`{schema.shown(folder)}`"))
    template = _templates() / kind / framework
    texts = _texts(_language(shelf))
    made = []
    for source in sorted(path for path in template.rglob("*") if path.is_file()):
        name = source.relative_to(template).as_posix().removesuffix(SUFFIX).replace(PLACE, lesson)
        # What a lesson brings lies beside its file; all else is the framework's.
        is_beside = "/" in name or name == lessons.FILE
        target = folder / (name if is_beside else f"{framework}/{name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text("utf-8")
        for ours, theirs in texts:
            text = text.replace(ours, theirs)
        text = text.replace(PLACE, lesson)
        target.write_text(text, encoding="utf-8", newline="\n")
        made.append(target)
    return sorted(made, key=lambda path: (path.name != lessons.FILE, len(path.parts)))


def _language(shelf: Path | None) -> str:
    """Return the language of the lessons in a folder; a new one is to have that of its author."""
    if shelf is None:
        return i18n.SOURCE
    settings, spoken = shelf / shelves.FILE, i18n.language()
    is_new = not settings.exists() and not any(shelf.glob(f"*/{lessons.FILE}"))
    if is_new and _texts(spoken):
        settings.write_text(f'format = {shelves.FORMAT}\nlanguage = "{spoken}"\n', "utf-8")
    return shelves.Shelf(shelf).language


def _texts(lang: str) -> list[tuple[str, str]]:
    """Return the texts of the templates with those of a language, the longest first."""
    file = _templates() / f"{lang}.toml{SUFFIX}"
    return tomllib.loads(file.read_text("utf-8"))["texts"] if file.exists() else []


def no_id(lesson: str) -> str:
    """Say that this is no id of a lesson."""
    sentence = _(
        "{name} cannot be the id of a lesson. Use small letters, digits and hyphens, as in {one}."
    )
    return sentence.format(name=f"`{lesson}`", one="`ch3-4`")


def no_shelf() -> str:
    """Say that there is no place for lessons of one's own: neither a checkout nor a shelf."""
    return _("`course` is installed as a package. Set `COURSE_LESSONS` to a folder for lessons.")


def _templates() -> Path:
    return paths.lessons() / "template"
