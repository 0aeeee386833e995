"""Honest submissions as students write them, each worth full marks to a careful teacher.

They are the healthy scripts of the lessons, changed by variations (`variations/`): other ways to do
the same, and what else stands in students' scripts. Several variations of different aspects go
together. Beside them are whole scripts in the words of others (`by_hand/`).
"""

import io
import itertools
import json
import random
import textwrap
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from course.lesson import lesson

FOLDER = Path(__file__).parent
QUESTIONS = "ch8-4 pt"
ALL = (QUESTIONS, "ch3-3 pt", "ch3-2 pt", "ch3-4 pt", "ch3-4-accelerate pt", "ch8-4 tf")
"""The lessons, as `lesson framework`."""


@dataclass(frozen=True)
class Variation:
    """A change to the healthy script of each of some lessons, one of its `aspect`.

    The script goes on `until` a text, and comes without its own `comments`. Then in each `edit` a
    new text takes the place of the old one, wherever that stands. What is left is indented by so
    many spaces, and stands between what comes `before` and `after`.
    """

    id: str
    aspect: str
    lessons: tuple[str, ...]
    until: str = ""
    comments: bool = True
    edit: tuple[tuple[str, str], ...] = ()
    indent: int = 0
    before: str = ""
    after: str = ""

    def change(self, text: str) -> str:
        """Return a script with this variation.

        Raises:
            ValueError: it does not hold one of the old texts.

        """
        if self.until:
            text = text[: text.index(self.until)]
        if not self.comments:
            text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        for old, new in self.edit:
            if old not in text:
                raise ValueError(f"{old!r} does not stand in the script")
            text = text.replace(old, new)
        return self.before + textwrap.indent(text, " " * self.indent) + self.after


@dataclass(frozen=True)
class HonestSubmission:
    """A submission: `content` in a file called `name`."""

    id: str
    lesson: str
    framework: str
    name: str
    content: bytes


@cache
def variations(aspect: str) -> tuple[Variation, ...]:
    """Read the variations of an aspect."""
    document = tomllib.loads((FOLDER / "variations" / f"{aspect}.toml").read_text("utf-8"))
    found = []
    for name, values in document["variation"].items():
        values = {"lessons": document["lessons"], **values}
        edits = tuple((old, new) for old, new in values.pop("edit", ()))
        lessons = tuple(values.pop("lessons"))
        found.append(Variation(name, aspect, lessons, edit=edits, **values))
    return tuple(found)


@cache
def _healthy(place: str) -> str:
    """Read the script without a bug that belongs to a lesson and a framework."""
    name, framework = place.split()
    return lesson.load(name).parts[framework].text(())


def _made(place: str, *chosen: Variation) -> HonestSubmission:
    """Make the submission of a lesson with some variations."""
    name, framework = place.split()
    text = _healthy(place)
    for each in chosen:
        text = each.change(text)
    return HonestSubmission(
        id=f"{name}-{framework}-{'-and-'.join(v.id for v in chosen) or 'plain'}",
        lesson=name,
        framework=framework,
        name=f"{name}-{framework}.py",
        content=text.encode(),
    )


def _one_at_a_time() -> Iterator[HonestSubmission]:
    for aspect in ("padding", "metric", "labels", "settings", "forms", "keras"):
        for variation in variations(aspect):
            for place in variation.lessons:
                yield _made(place, variation)
    # What stands around a script makes the same difference everywhere: some lessons are enough.
    for number, variation in enumerate(variations("around")):
        for place in dict.fromkeys((QUESTIONS, ALL[number % len(ALL)])):
            yield _made(place, variation)


def _combined() -> Iterator[HonestSubmission]:
    """Make some with several variations: ways to do the same, and something around them."""
    chance = random.Random(20)
    # Each takes something of the text that the other needs.
    clashing = {"tokenizes-in-collate", "bert", "roberta"}
    for _number in range(40):
        ways = [chance.choice(variations(aspect)) for aspect in ("padding", "metric", "labels")]
        ways = [v for v in ways if v.id not in clashing]
        yield _made(QUESTIONS, *ways, *chance.sample(variations("around"), 2))


def _saved() -> Iterator[HonestSubmission]:
    """Save one script as other files, and in other encodings."""
    around = {variation.id: variation for variation in variations("around")}
    for variation, encoding in itertools.chain(
        itertools.product(("chinese",), ("utf-16", "gb18030", "utf-8-sig")),
        itertools.product(("russian",), ("utf-16", "cp1251", "utf-16-le")),
    ):
        made = _made(QUESTIONS, around[variation])
        content = made.content.decode().encode(encoding)
        yield replace(made, id=f"{made.id}-{encoding}", content=content)
    plain = _made(QUESTIONS)
    cells = plain.content.decode().split("# %%\n")
    notebook = {
        "cells": [
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
             "source": cell, "id": f"c{number}"}
            for number, cell in enumerate(cells)
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3",
                                    "language": "python"}},
        "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    yield replace(
        plain, id="as-notebook", name="ch8-4-pt.ipynb", content=json.dumps(notebook).encode()
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(plain.name, plain.content)
    yield replace(plain, id="as-zip", name="ch8-4-pt.zip", content=packed.getvalue())


def _by_hand() -> Iterator[HonestSubmission]:
    """Read the whole scripts in the words of others: `by_hand/LESSON-FRAMEWORK-NAME.py`."""
    for path in sorted((FOLDER / "by_hand").glob("*.py")):
        place = max((p for p in ALL if path.stem.startswith(p.replace(" ", "-"))), key=len)
        yield replace(_made(place), id=path.stem, content=path.read_bytes())


@cache
def submissions() -> tuple[HonestSubmission, ...]:
    """Make the whole corpus, always the same."""
    return (*map(_made, ALL), *_one_at_a_time(), *_combined(), *_saved(), *_by_hand())
