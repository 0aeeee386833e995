"""README, CONTRIBUTING and docs/: short, their links lead somewhere, their commands exist."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from course.cli import app
from tests.command import ROOT

TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*TOP, *sorted((ROOT / "docs").glob("*.md"))]
GLOBAL = {"--lang", "--version", "--help", "-h"}

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)


def test_the_readme_and_contributing_are_short() -> None:
    readme, contributing = (page.read_text("utf-8") for page in PAGES[:2])
    assert len(readme.splitlines()) <= 150
    assert len(contributing.split()) <= 600
    # `.ci/run` runs them: install and run, then install and test.
    install, tests = re.findall(r"^```bash\n(.*?)^```$", readme, re.M | re.S)
    assert "course run ch8-4" in install
    assert "pytest" in tests
    for picture in re.findall(r'src="(.*?)"', readme):
        assert (ROOT / picture).stat().st_size < 150_000


def test_what_is_cited_is_the_release_of_the_changelog() -> None:
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M)
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert cited is not None
    assert newest is not None
    assert cited[1] == newest[1]


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.M | re.S)


@cache
def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    heads = re.findall(r"^#+ (.*)$", prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@each_page
def test_each_relative_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r'\]\(([^)\s]+)\)|src="([^"]+)"', prose(page))
    for link in ("".join(pair) for pair in links):
        if re.match(r"https?:", link):
            continue
        path, _hash, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_relative_to(ROOT)
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def commands(page: Path) -> Iterator[tuple[str, bool]]:
    """Each `course …` of a page, and whether it is one to type as it stands."""
    text = page.read_text("utf-8")
    for block in re.findall(r"^```(?:sh|bash)\n(.*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            found = re.search(r"(?:^|[\s/(])course (.*)", line.partition(" #")[0])
            if found:
                yield found[1], True
    for span in re.findall(r"`(?:eval \"\$\()?course ([^`]*?)(?:\)\")?`", prose(page)):
        # In a table a bar is written with a backslash.
        yield span.replace("\\|", "|").replace("\n", " "), False


def find(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the first words name, and the rest of them."""
    command: Any = app
    while words and hasattr(command, "list_commands"):
        names = words[0].split("|")
        known = command.list_commands(None)
        assert set(names) <= set(known), f"{names} of {known}"
        command, words = command.get_command(None, names[0]), words[1:]
    return command, words


@each_page
def test_each_command_exists_with_its_options(page: Path) -> None:
    for text, typed in commands(page):
        words = shlex.split(text) if typed else text.split()
        if not words or words[0].startswith("%") or words[0] == "…":
            continue
        command, rest = find([word for word in words if word not in GLOBAL])
        known = {option for parameter in command.params for option in parameter.opts} | GLOBAL
        used = {option for word in rest for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", word)}
        assert used <= known, f"course {text}"
        if typed:
            at = [n for n, word in enumerate(words) if word == "--lang"]
            plain = [w for n, w in enumerate(words) if not {n, n - 1} & set(at)]
            command, rest = find(plain)
            # Raises where an option lacks its value, or an argument is too many.
            command.make_context("course", rest, resilient_parsing=False).close()


def test_some_commands_are_found() -> None:
    found = [text for page in PAGES for text, _typed in commands(page)]
    assert len(found) > 80
    names = {" ".join(text.split()[:2]) for text in found}
    assert {"class grade", "subtitles align", "runtime install", "dev check"} <= names
    with pytest.raises(AssertionError):
        find(["clas", "grade"])
