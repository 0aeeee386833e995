"""The language of every sentence a person reads.

`activate` chooses it once at the start; `_` and `ngettext` translate; `N_` marks a text that is
translated later, where it is shown. English is the source, so it needs no catalogue.
"""

import contextlib
import functools
import gettext
import io
import locale
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from course.base import files, paths
from course.base.errors import ContentError, UserError

SOURCE = "en"
PSEUDO = "qps"
"""A made-up language for tests: every text that went through `_` is visibly changed."""

_beside: tuple[Path, ...] = ()
"""Folders of translations of texts that are not ours."""


class _Beside(gettext.NullTranslations):
    """What our own texts don't have: the texts of lessons that are kept elsewhere.

    English ones, too, since a lesson may be written in another language. The folders are those of
    the moment; each is read once.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._read: dict[Path, gettext.NullTranslations] = {}

    def gettext(self, message: str) -> str:
        """Translate a text; one that nobody knows stays as it is.

        Raises:
            ContentError: a file of translations breaks its format; once for each.

        """
        for folder in _beside:
            if folder not in self._read:
                self._read[folder] = gettext.NullTranslations()
                self._read[folder] = _read(folder / self._name)
            text = self._read[folder].gettext(message)
            if text != message:
                return text
        return message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Leave as it is what depends on a number: no lesson has such a text."""
        return msgid1 if n == 1 else msgid2


_texts_beside = functools.cache(_Beside)
_active: gettext.NullTranslations = gettext.NullTranslations()
_language = SOURCE
_is_chosen = False


def _(text: str) -> str:
    """Translate `text`, which names its placeholders: `_("{n} left").format(n=3)`."""
    return _active.gettext(text) if text else ""


def ngettext(one: str, many: str, n: int) -> str:
    """Translate a text that depends on the number `n`."""
    return _active.ngettext(one, many, n)


def N_(text: str) -> str:  # noqa: N802 - gettext's own name for it
    """Mark `text` for translation without translating it yet."""
    return text


def titled(title: str, name: str) -> str:
    """Translate a title and add the id of its subject."""
    # Translators: the title of a fault, then its id; Chinese has brackets of its own.
    return _("{title} ({name})").format(title=_(title), name=f"`{name}`")


def about(subject: str, sentence: str) -> str:
    """Return a sentence with its subject, or its place, in front."""
    # Translators: what a sentence is about, and the sentence.
    return _("{subject}: {sentence}").format(subject=subject, sentence=sentence)


def at_line(sentence: str, line: object, cell: object = None) -> str:
    """Return a sentence with the line that it is about in front, of a notebook's cell if any."""
    if line is None:
        return sentence
    where = _("line {line}") if cell is None else _("cell {cell}, line {line}")
    return at_place(where.format(line=line, cell=cell), sentence)


def at_place(place: str, sentence: str = "") -> str:
    """Return a sentence with the place that it is about in front, or the place as its heading."""
    return about(place[:1].upper() + place[1:], sentence).rstrip()


def in_a_row(*sentences: str) -> str:
    """Put sentences one after the other, as the language does it."""
    # Translators: two sentences, one after the other.
    joint = _("{first} {second}")
    result = sentences[0]
    for sentence in sentences[1:]:
        result = joint.format(first=result, second=sentence)
    return result


def enumerate_words(words: Iterable[str]) -> str:
    """Put words in a list, as the language does it."""
    # Translators: what stands between two items of a list.
    return _(", ").join(words)


def language() -> str:
    """Return the language in force, as the name of its folder: `zh`, `ru`, `en`."""
    return _language


def available() -> list[str]:
    """List the available languages: the source and each folder that holds a catalogue."""
    found = {p.parent.name for p in paths.locales().glob("*/course.*o")}
    return sorted(found | {SOURCE})


def normalise(tag: str) -> str | None:
    """Return the available language that a locale or a language tag asks for, or None.

    `zh_CN.UTF-8`, `zh-Hans` and `zh_SG` are zh; `C` and `POSIX` are en.
    """
    bare = re.split(r"[.@]", tag.strip(), maxsplit=1)[0].replace("_", "-").lower()
    if bare in {"c", "posix"}:
        return SOURCE
    primary = bare.split("-", 1)[0]
    if primary == PSEUDO:
        return PSEUDO
    return primary if primary in available() else None


def spoken_option() -> str:
    """Return ` --lang zh` where a command would speak another language without it; else nothing."""
    return "" if negotiate(None) == language() else f" --lang {language()}"


def negotiate(option: str | None, environ: Mapping[str, str] = os.environ) -> str:
    """Choose the language: the option, else `COURSE_LANG`, else the environment's locale, else en.

    Raises:
        UserError: the option or `COURSE_LANG` names a language there is no catalogue for.

    """
    for asked in (option, environ.get("COURSE_LANG")):
        if asked:
            chosen = normalise(asked)
            if chosen is None:
                name = "`--lang`" if asked == option else "`COURSE_LANG`"
                told = _("{option} does not accept {name}.").format(option=name, name=f"`{asked}`")
                known = enumerate_words(f"`{each}`" for each in available())
                raise UserError(in_a_row(told, _("Choose one of {known}.").format(known=known)))
            return chosen
    wanted = (environ.get("LANGUAGE") or "").split(":")
    wanted += [environ.get(name) or "" for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    if os.name == "nt" and not any(wanted):
        wanted.append(locale.getlocale()[0] or "")
    for tag in wanted:
        if tag:
            chosen = normalise(tag)
            if chosen is not None:
                return chosen
    return SOURCE


def activate(name: str) -> None:
    """Make `name`, a result of `negotiate`, the language of what follows."""
    global _active, _language
    _active = _translations(name)
    _language = name


def choose(option: str | None, environ: Mapping[str, str] = os.environ) -> None:
    """Make the language that `negotiate` finds that of what follows.

    One that the user has named stays in force, whatever a file says (`follow`).

    Raises:
        UserError: as `negotiate`.

    """
    global _is_chosen
    activate(negotiate(option, environ))
    _is_chosen = bool(option or environ.get("COURSE_LANG"))


def follow(tag: str) -> bool:
    """Speak the language that a file of the user's names, unless they have named one themselves.

    Returns whether the language has changed.
    """
    asked = normalise(tag)
    if _is_chosen or asked in (None, _language):
        return False
    activate(asked or SOURCE)
    return True


def look_beside(folders: Iterable[Path]) -> None:
    """Have the texts of lessons kept elsewhere translated, too: `<language>/course.po` in a folder.

    A folder need not exist. Where our own texts have a translation, that is taken. It holds from
    now on, whichever language is in force, and until the next call.
    """
    global _beside
    _beside = tuple(folders)


def translator(name: str) -> Callable[[str], str]:
    """Return a function that puts a text into the language `name`, whichever is in force."""
    return _translations(name).gettext


def _translations(name: str) -> gettext.NullTranslations:
    if name == PSEUDO:
        from course.base.i18n.pseudo import PseudoTranslations

        return PseudoTranslations()
    beside = _texts_beside(name)
    return beside if name == SOURCE else _read(paths.locales() / name, beside)


def _read(folder: Path, beside: _Beside | None = None) -> gettext.NullTranslations:
    """Open a compiled catalogue; in a checkout, where only the source of one lies, compile it.

    That takes a while, so what comes of it is left beside its source. Of a folder without either,
    nothing is translated. What is not found is looked for in `beside`, if given.

    Raises:
        ContentError: the source breaks its format.

    """
    source, compiled = folder / "course.po", folder / "course.mo"
    if source.exists() and not (
        compiled.exists() and compiled.stat().st_mtime >= source.stat().st_mtime
    ):
        made = _compiled(source)
        with contextlib.suppress(OSError):  # a checkout that we may only read
            files.write(compiled, made.getvalue())
        return _joined(gettext.GNUTranslations(made), beside)
    if not compiled.exists():
        return gettext.NullTranslations()
    return _opened(compiled, compiled.stat().st_mtime_ns, beside)


def _compiled(source: Path) -> io.BytesIO:
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import PoFileError

    from course.base.i18n import po

    out = io.BytesIO()
    try:
        write_mo(out, po.read(source))
    except (PoFileError, ValueError) as error:
        sentence = _("a value does not have the required format ({error}).").format(error=error)
        raise ContentError(about(f"`{source}`", sentence)) from error
    out.seek(0)
    return out


@functools.lru_cache(maxsize=32)
def _opened(compiled: Path, _changed: int, beside: _Beside | None) -> gettext.NullTranslations:
    with compiled.open("rb") as stream:
        return _joined(gettext.GNUTranslations(stream), beside)


def _joined(found: gettext.NullTranslations, beside: _Beside | None) -> gettext.NullTranslations:
    if beside is not None:
        found.add_fallback(beside)
    return found
