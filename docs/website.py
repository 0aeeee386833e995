"""Build the site of documentation, in each language: ``python docs/website.py [--texts]``.

The guides are `docs/*.md`, translated by `locales/*/docs.po`; the pages of faults are made of the
catalogue, in the words of `course explain`; `docs/site/` configures Sphinx. The site is then in
`build/site/html`. ``--texts`` brings `docs.po` of each language up to the guides, and builds
nothing.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from markdown_it import MarkdownIt

import course
from course.authoring import translations
from course.base import i18n
from course.base.i18n import _, po
from course.base.texts import is_name
from course.lesson.catalogue import STAGES, Fault, catalogue
from course.render import explain
from course.render.blocks import Code, Gap, Output, Paragraph, Stages, StoryBlock

DOCS = Path(__file__).resolve().parent
LOCALES = DOCS.parent / "locales"
BUILT = DOCS.parent / "build" / "site"
TRANSLATED = [
    "index",
    "learner",
    "notebook",
    "class",
    "install",
    "subtitles",
    "faults",
    "developers",
]
"""The pages that are there in each language; the others of `docs/` are in English only."""
TAGS = {"en": "en", "zh": "zh_CN", "ru": "ru"}
"""The languages, as the folders of the site and as Sphinx calls them."""
HEADER = "# Texts of the guides of course, under the licence of the project."
OF_THE_THEME = ("Back to top", "On this page", "Skip to content")
"""What Furo writes on each page, and does not translate."""
_SPAN = re.compile(r"(`[^`]+`)")
_MARKUP = re.compile(r"([\\*_<>\[\]{}$#|~])")


# Translations


def gather() -> Catalog:
    """Gather what is to be translated of the guides: as Sphinx does, but without Sphinx."""
    found = Catalog(project="course", charset="utf-8", fuzzy=False)
    for page in TRANSLATED:
        text = (DOCS / f"{page}.md").read_text("utf-8")
        for token in MarkdownIt().enable("table").parse(text):
            if token.type == "inline" and token.content and not is_name(token.content):
                found.add(token.content.replace("\n", " "), None, [(f"docs/{page}.md", 1)])
            elif token.type == "fence" and "# " in token.content:
                # Code is the same in each language; the comments in it are not.
                found.add(token.content, None, [(f"docs/{page}.md", 1)])
    for text in OF_THE_THEME:
        found.add(text, None, [("docs/site/conf.py", 1)])
    return found


def update() -> None:
    """Bring each language's `docs.po` up to the guides."""
    template = gather()
    for language in TAGS:
        if language != i18n.SOURCE:
            translations.bring_up(LOCALES / language / "docs.po", template, HEADER)


def check() -> list[translations.Finding]:
    """Everything wrong with the translations of the guides."""
    template = gather()
    return [
        finding
        for source in sorted(LOCALES.glob("*/docs.po"))
        for finding in translations.check_one(template, po.read(source), source)
        # A block of code holds the words of options and files, which stay as they are.
        if finding.waits or "\n" not in finding.text
    ]


# Pages of faults


def markdown(blocks: Iterable[StoryBlock]) -> Iterator[str]:
    """Write blocks as Markdown; what names a fault is a link to its page."""
    for block in blocks:
        match block:
            case Paragraph(text, "title"):
                yield f"# {_inline(text, linked=False)}"
            case Paragraph(text, "heading"):
                yield f"## {_inline(text)}"
            case Paragraph(text):
                yield _inline(text)
            case Code(text) | Output(text):
                fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
                yield f"{fence}text\n{text}\n{fence}"
            case Stages():
                row = (f"**{name}**" if here else name for name, here in block.names)
                yield " → ".join(row)
            case Gap():
                pass
            case _:
                raise TypeError(f"no Markdown for {type(block).__name__}")


def _inline(text: str, *, linked: bool = True) -> str:
    """Write a paragraph, in which nothing but `code` is markup."""
    parts = _SPAN.split(text)
    for at, part in enumerate(parts):
        if at % 2 == 0:
            parts[at] = _MARKUP.sub(r"\\\1", part)
        elif linked and part.strip("`") in catalogue():
            parts[at] = f"[{part}]({part.strip('`')}.md)"
    return "".join(parts)


def fault_page(fault: Fault) -> str:
    """Write the page of a fault, in the language in force."""
    stages, title, *rest = explain.page(fault)
    description = json.dumps(_(fault.means.split("\n\n")[0]), ensure_ascii=False)
    head = f"---\norphan: true\nmyst:\n  html_meta:\n    description: {description}\n---"
    return "\n\n".join([head, *markdown([title, stages, *rest])]) + "\n"


def list_of_faults() -> str:
    """List the faults by their stages, each with a link to its page."""
    parts = []
    for stage, label in STAGES.items():
        rows = [
            f"- [{_inline(i18n.titled(fault.title, fault.id), linked=False)}](faults/{fault.id}.md)"
            for fault in catalogue().values()
            if fault.stage == stage
        ]
        parts += [f"## {_(label).capitalize()}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


# The site


def reference() -> str:
    """Write the reference of the Python interface: its docstrings, in the order of the names."""
    parts = []
    for name in course.__all__:
        found = getattr(course, name)
        kind = "class" if isinstance(found, type) else "function" if callable(found) else "module"
        members = "" if kind == "function" else "\n   :members:"
        parts.append(f"```{{eval-rst}}\n.. auto{kind}:: course.{name}{members}\n```")
    return "\n\n".join(parts) + "\n"


def stage(language: str, target: Path) -> None:
    """Write the sources of the site in one language."""
    i18n.activate(language)
    (target / "faults").mkdir(parents=True)
    for page in DOCS.glob("*.md"):
        if language == i18n.SOURCE or page.stem in TRANSLATED:
            shutil.copy(page, target)
    append(target / "faults.md", list_of_faults())
    for fault in catalogue().values():
        (target / "faults" / f"{fault.id}.md").write_text(fault_page(fault), "utf-8")
    if language == i18n.SOURCE:
        append(target / "api.md", reference())
    else:
        translate_code(po.read(LOCALES / language / "docs.po"), target)


def append(page: Path, text: str) -> None:
    """Add what is made to a page that is written by hand."""
    page.write_text(page.read_text("utf-8") + "\n" + text, "utf-8")


def translate_code(translated: Catalog, folder: Path) -> None:
    """Translate the comments in blocks of code, which Sphinx can't do in Markdown."""
    for page in folder.glob("*.md"):
        text = page.read_text("utf-8")
        for message in translated:
            if message.id.endswith("\n") and message.string:
                text = text.replace(message.id, message.string)
        page.write_text(text, "utf-8")


def hand_over_texts(language: str, target: Path) -> None:
    """Give Sphinx a language's texts: for the guides, and for its theme, which has none."""
    target.mkdir(parents=True)
    for domain in ("docs", "sphinx"):
        shutil.copy(LOCALES / language / "docs.po", target / f"{domain}.po")


def start(language: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start Sphinx for one language; any warning is an error."""
    settings = {
        "language": TAGS[language],
        "locale_dirs": folder / "locales",
        "english": folder / "source" / i18n.SOURCE,
        # A list of pages that are there in English only is empty in the other languages.
        "suppress_warnings": "" if language == i18n.SOURCE else "toc.not_readable",
        "html_context.translated": ",".join(TRANSLATED),
    }
    options = [f"-D{name}={value}" for name, value in settings.items()]
    how = ["-q", "--fail-on-warning", "--keep-going", "-c", DOCS / "site"]
    where = [folder / "source" / language, folder / "html" / language]
    doctrees = ["-d", folder / "doctrees" / language]
    return subprocess.Popen([sys.executable, "-m", "sphinx", *how, *options, *doctrees, *where])


def build(folder: Path) -> int:
    """Build all languages in a folder, which is cleared, and count those that went wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    for language, tag in TAGS.items():
        stage(language, folder / "source" / language)
        if language != i18n.SOURCE:
            hand_over_texts(language, folder / "locales" / tag / "LC_MESSAGES")
    # Sphinx keeps the language of its own texts as long as its process lives.
    running = [start(language, folder) for language in TAGS]
    failed = sum(process.wait() != 0 for process in running)
    shutil.copy(DOCS / "site" / "index.html", folder / "html")
    return failed


if __name__ == "__main__":
    if "--texts" in sys.argv:
        update()
    else:
        sys.exit(build(BUILT))
