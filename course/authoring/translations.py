"""The authors' side of the translations: gather the texts, and check what came back.

Texts come from Python and from templates (through `_`, `N_`, `ngettext`), from the tables of
messages and commands, from the lessons' and the faults' TOML files (the keys of `TEXT_KEYS`) and
from the prose cells of the exercises.
"""

import io
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from babel.messages import extract, pofile
from babel.messages.catalog import Catalog, Message

from course.base import paths, schema
from course.base.i18n import SOURCE, available, translator
from course.base.i18n.po import read
from course.base.shelves import Shelf
from course.base.texts import is_name, load_table, paragraphs, prose
from course.lesson.lesson import FILE as LESSON

TEXT_KEYS = frozenset(
    {"title", "summary", "intro", "question", "outro", "caption", "shows", "reason", "hints"}
    | {"means", "where", "fix", "note", "shown", "about", "apart", "text", "check"}
)
"""Keys of TOML files whose values are read by people, and so are translated."""
COMMAND_KEYS = frozenset({"help", "section", "example"})
"""Such keys of the table of commands; of that of messages, all are."""
_PLACEHOLDER = re.compile(r"\{[\w.]*(?::[^{}]*)?\}")
"""What is filled in, with how it is written: `{share:.0%}`."""
_CODE = re.compile(r"`[^`]+`|\]\([^)\s]+\)")
"""Code, and where a link leads: the same in each language."""


HEADER = "# Texts of course, under the licence of the project."
SHELF_HEADER = "# Texts of lessons."
TEMPLATES = "render/templates/**.html"
NEW = "not in course.pot; run `course dev texts`"
UNTRANSLATED = "not translated"


@dataclass(frozen=True)
class Finding:
    """One thing wrong with a translation: which language, which text, what.

    `places` are the files that the text stands in, as git names them.
    """

    language: str
    text: str
    problem: str
    places: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether the text is merely waiting for the catalogues, or for its translation."""
        return self.problem in (NEW, UNTRANSLATED)

    def __str__(self) -> str:
        return f"{self.language}: {self.problem}: {self.text[:70]!r}"


def gather() -> Catalog:
    """All texts of the program and of what it teaches, with where each one stands.

    Raises:
        ContentError: a file of a lesson or a fault can't be read.

    """
    catalogue = Catalog(project="course", charset="utf-8", fuzzy=False)
    root = paths.PACKAGE.parent
    keywords = {"_": None, "N_": None, "ngettext": (1, 2)}
    for name, line, text, comments, _context in extract.extract_from_dir(
        str(paths.PACKAGE),
        method_map=[
            ("data/**", "ignore"),
            ("**.py", "python"),
            ("render/templates/**.html", "jinja2"),
        ],
        options_map={TEMPLATES: {"silent": "false"}},
        keywords=keywords,
        comment_tags=("Translators:",),
    ):
        catalogue.add(text, None, [(f"course/{name}", line)], auto_comments=comments)
    for name, keys in (("commands", COMMAND_KEYS), ("messages", None)):
        for text in _toml_texts(load_table(name), keys=keys):
            catalogue.add(text, None, [(f"course/tables/{name}.toml", 1)])
    lessons = sorted(paths.lessons().rglob("*.toml"))
    scripts = [p for p in paths.lessons().glob("*/*/*.py") if p.parents[1].name != "hub"]
    _add(catalogue, root, lessons, sorted(scripts))
    return catalogue


def gather_shelf(shelf: Shelf) -> Catalog:
    """All texts of the lessons and the faults of a shelf, with where each one stands on it.

    Raises:
        ContentError: a file of a lesson or a fault can't be read.

    """
    catalogue = Catalog(project="lessons", charset="utf-8", fuzzy=False)
    lessons = sorted(file.parent for file in shelf.folder.glob(f"*/{LESSON}"))
    tables = [file for folder in lessons for file in sorted(folder.glob("*.toml"))]
    scripts = [file for folder in lessons for file in sorted(folder.glob("*/*.py"))]
    faults = sorted(shelf.folder.glob("faults/*.toml"))
    _add(catalogue, shelf.folder, [*tables, *faults], scripts)
    return catalogue


def _add(catalogue: Catalog, root: Path, tables: Iterable[Path], scripts: Iterable[Path]) -> None:
    """Add the texts of TOML files and the prose of scripts."""
    for source in tables:
        for text in _toml_texts(schema.load(source)):
            catalogue.add(text, None, [(source.relative_to(root).as_posix(), 1)])
    for source in scripts:
        for text in prose(source.read_text("utf-8")):
            catalogue.add(text, None, [(source.relative_to(root).as_posix(), 1)])


def _toml_texts(
    value: object, key: str = "", keys: Collection[str] | None = TEXT_KEYS
) -> Iterator[str]:
    """Yield the texts of a file at these keys; all of them, where None is given."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _toml_texts(inner, name, keys)
    elif isinstance(value, list):
        for inner in value:
            yield from _toml_texts(inner, key, keys)
    elif isinstance(value, str) and (keys is None or key in keys):
        yield from (text for text in paragraphs(value) if not is_name(text))


def update(folder: Path) -> None:
    """Write `course.pot` under `folder`, and bring each language's `course.po` up to it."""
    template = gather()
    _write(folder / "course.pot", template, HEADER)
    for source in sorted(folder.glob("*/course.po")):
        bring_up(source, template, HEADER)


def bring_up(source: Path, template: Catalog, header: str) -> None:
    """Bring one language's catalogue at `source` up to a template; make one that is not there."""
    catalogue = read(source) if source.exists() else Catalog(source.parent.name, fuzzy=False)
    catalogue.update(template, no_fuzzy_matching=True)
    _write(source, catalogue, header)


def update_shelf(shelf: Shelf) -> None:
    """Bring the `course.po` of each of our languages on a shelf up to its lessons; make new ones.

    Raises:
        ContentError: a file of a lesson or a fault can't be read.

    """
    template = gather_shelf(shelf)
    shelf.locales.mkdir(exist_ok=True)
    _write(shelf.locales / "course.pot", template, SHELF_HEADER)
    for source in _shelf_sources(shelf):
        source.parent.mkdir(exist_ok=True)
        bring_up(source, template, SHELF_HEADER)


def _shelf_sources(shelf: Shelf) -> list[Path]:
    """List the files of translations of a shelf: of our languages, and others that are there.

    That which it is written in is not asked for.
    """
    there = {file.parent.name for file in shelf.locales.glob("*/course.po")}
    languages = sorted(there | (set(available()) - {shelf.language}))
    return [shelf.locales / name / "course.po" for name in languages]


_VOLATILE = (b'"POT-Creation-Date', b'"PO-Revision-Date', b'"Last-Translator', b'"Language-Team')
"""Header lines that would make two equal catalogues differ, and that git knows better."""


def _write(target: Path, catalogue: Catalog, header: str) -> None:
    """Write a catalogue so that equal texts make equal files."""
    catalogue.header_comment = header
    catalogue.msgid_bugs_address = ""
    for message in catalogue:
        # A guess of Babel's about any text with a `%`: ours are filled in with braces.
        message.flags.discard("python-format")
    out = io.BytesIO()
    pofile.write_po(
        out, catalogue, width=100, sort_by_file=True, ignore_obsolete=True, include_lineno=False
    )
    lines = out.getvalue().splitlines(keepends=True)
    target.write_bytes(b"".join(line for line in lines if not line.startswith(_VOLATILE)))


def check(folder: Path) -> list[Finding]:
    """Everything wrong with the translations under `folder`, language by language."""
    template, stored = gather(), folder / "course.pot"
    known = read(stored) if stored.exists() else Catalog()
    found = [
        Finding(SOURCE, str(message.id), NEW, _places(message))
        for message in template
        if message.id and known.get(message.id) is None
    ]
    for source in sorted(folder.glob("*/course.po")):
        found += check_one(template, read(source), source)
    return found


def check_shelf(shelf: Shelf) -> list[Finding]:
    """Everything wrong with the translations of a shelf; what our own texts have counts as done.

    Raises:
        ContentError: a file of a lesson or a fault can't be read.

    """
    template = gather_shelf(shelf)
    found = []
    for source in _shelf_sources(shelf):
        stored = read(source) if source.exists() else Catalog(source.parent.name, fuzzy=False)
        ours = translator(source.parent.name)
        found += [
            finding
            for finding in check_one(template, stored, source)
            if not finding.waits or ours(finding.text) == finding.text
        ]
    return found


def _places(message: Message) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(file) for file, _line in message.locations))


def check_one(template: Catalog, catalogue: Catalog, source: Path) -> Iterator[Finding]:
    """Everything wrong with one language's catalogue, read from `source`, beside a template."""
    language = source.parent.name
    if catalogue.fuzzy:
        yield Finding(language, "header", "the header is marked fuzzy")
    terms = glossary(source.parent)
    for wanted in template:
        if not wanted.id:
            continue
        message = catalogue.get(wanted.id)
        text = wanted.id if isinstance(wanted.id, str) else wanted.id[0]
        if message is None or not message.string or not all(_strings(message)):
            yield Finding(language, text, UNTRANSLATED, _places(wanted))
        elif message.fuzzy:
            yield Finding(language, text, "marked fuzzy", _places(wanted))
        else:
            for problem in _problems(message, catalogue.num_plurals, terms):
                yield Finding(language, text, problem, _places(wanted))


def _strings(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def _problems(message: Message, plurals: int, terms: dict[str, tuple[str, ...]]) -> Iterator[str]:
    ids = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    strings = _strings(message)
    if len(ids) == 2 and len(strings) != plurals:
        yield f"has {len(strings)} plural forms, the language has {plurals}"
    wanted = set(_PLACEHOLDER.findall(ids[-1]))
    sentence = _PLACEHOLDER.sub("", _CODE.sub("", ids[0])).lower()
    named = [term for term in terms if term.lower() in sentence]
    for string in strings:
        if set(_PLACEHOLDER.findall(string)) != wanted:
            yield f"placeholders differ from {sorted(wanted)}"
        if sorted(_CODE.findall(string)) != sorted(_CODE.findall(ids[0])) and len(ids) == 1:
            yield "quoted code differs"
        for term in named:
            missing = not any(word in string.lower() for word in terms[term])
            if missing and re.search(rf"\b{re.escape(term.lower())}\b", sentence):
                yield f"{term!r} is not rendered as the glossary says ({', '.join(terms[term])})"


@dataclass(frozen=True)
class _Glossary:
    """English terms, each with the stems one of which must stand for it."""

    terms: dict[str, tuple[str, ...]]


def glossary(folder: Path) -> dict[str, tuple[str, ...]]:
    """Read the terms of one language: English term to stems, one of which must stand for it.

    Raises:
        ContentError: the file breaks its format.

    """
    source = folder / "glossary.toml"
    return schema.read(_Glossary, source).terms if source.exists() else {}
