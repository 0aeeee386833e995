"""The sentences of ``mnli``: what can be said of what, and how pairs are made of it.

The task is MNLI's: does the hypothesis follow from the premise, contradict it, or neither?  The
sentences are our own, and they are built so that *only the relation between the two sentences*
tells the label.  A small model would otherwise learn the give-away words and never read the
premise, and the lesson would be teaching with a model that cheats.

How the balance is kept: pairs are made nine at a time, in a Latin square.  Take one subject and
three qualities of it, a, b and c, each with a chosen side (warm, not cold).  Three premises
mention two qualities each, three hypotheses mention one:

    =====================  ==============  ==============  ==============
    premise                a as chosen     b the opposite  c the opposite
    =====================  ==============  ==============  ==============
    a chosen,   b chosen   entailment      contradiction   neutral
    b opposite, c chosen   neutral         entailment      contradiction
    c opposite, a opposite contradiction   neutral         entailment
    =====================  ==============  ==============  ==============

Each row and each column holds each label exactly once: a classifier that sees one sentence only
gives the same answer three times and is right exactly once, whatever it has learned.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

LABELS = ("entailment", "neutral", "contradiction")

# A quality has two sides that exclude each other; a side has one word for it, or several.
# There are few qualities, and all genres share them: a tiny model has to learn for each of them
# by itself what excludes what, from three epochs of two thousand pairs.
Side = tuple[str, ...]
QUALITIES: dict[str, tuple[Side, Side]] = {
    "price": (("cheap",), ("expensive",)),
    "crowd": (("crowded",), ("empty",)),
    "noise": (("noisy",), ("quiet",)),
    "heat": (("warm",), ("cold",)),
    "dirt": (("clean",), ("dirty",)),
    "safety": (("safe",), ("dangerous",)),
}


@dataclass(frozen=True)
class Genre:
    """Subjects of one kind, the qualities that make sense of them, and where they are found."""

    name: str
    pronoun: str
    relative: str
    subjects: tuple[str, ...]
    places: tuple[str, ...]
    qualities: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


# The genres of training and of validation_matched.
MATCHED = (
    Genre(
        "places",
        "it",
        "which",
        _words(
            "cafe, bakery, library, museum, market, hotel, restaurant, bookshop, gym, theatre, "
            "pharmacy, waiting room, post office, cinema, tea house"
        ),
        _words(
            "by the river, near the station, in the old town, on Harbour Street, behind the "
            "church, across from the school, next to the park, at the end of the road"
        ),
        tuple(QUALITIES),
    ),
    Genre(
        "journeys",
        "it",
        "which",
        _words(
            "train, bus, tram, coach, night train, minibus, express, early train, last bus, shuttle"
        ),
        _words(
            "to the coast, to the harbour, from Lisbon, to the north, to the capital, from the "
            "south, to the next town, to the border"
        ),
        tuple(QUALITIES),
    ),
    Genre(
        "shows",
        "it",
        "which",
        _words(
            "fair, parade, street party, carnival, rally, football match, concert, boxing match, "
            "cycle race, circus, festival, flea market"
        ),
        _words(
            "at the town hall, near the stadium, behind the university, on the main square, in the "
            "school yard, in the suburbs, on the pier, outside the village"
        ),
        _words("price, crowd, noise, safety"),
    ),
)

# The genres of validation_mismatched: other subjects, and other places to find them in.
MISMATCHED = (
    Genre(
        "landscapes",
        "it",
        "which",
        _words("beach, forest, valley, path, cave, lake, bridge, garden, campsite, park"),
        _words(
            "in the south, below the castle, beyond the hills, on the map, in the national park, "
            "above the town, near the border, on the other shore"
        ),
        tuple(QUALITIES),
    ),
)

TIMES = _words(
    "on Monday morning, on Tuesday evening, on Friday night, last summer, last winter, "
    "after lunch, before sunset, during the holidays, that afternoon, in the first week of May, "
    "at the weekend, one rainy day, late in the year, at noon, early in spring, on New Year's Eve, "
    "a month ago, on the last day of the trip, in October, shortly after dinner"
)
WITNESSES = _words(
    "Maria, Ahmed, Mei, Olga, Peter, Fatima, Yuri, Carlos, Aisha, Jun, Ivan, Nadia, Tom, Leila, "
    "Hana, Kofi, Elena, Rafael, Ingrid, Samuel, our guide, my uncle, her brother, his sister, "
    "the reporter, a neighbour, my cousin, their daughter, the photographer, an old friend"
)

# {s} the bare subject, {S} the subject with its place {p}, {A} and {B} two adjectives, {it} the
# pronoun, {which} the relative pronoun, {t} a time, {w} a witness.  The verbs of the witness are
# factive on purpose: what somebody noticed is so, what somebody claimed need not be.
PREMISES = (
    "{t}, {S} was {A} and {B}.",
    "{S} was {A} and {B}.",
    "The {A} {n} {p} was {B}.",
    "{t}, the {A} {n} {p} was {B}.",
    "{S} was {A}, and {it} was also {B}.",
    "{S}, {which} was {A}, was {B} too.",
    "{t}, {S} was both {A} and {B}.",
    "{w} noticed {t} that {S} was {A} and {B}.",
    "{w} remembered that {S} was {A} and that {it} was {B}.",
    "{t}, {w} saw that {S} was {A}. {It} was also {B}.",
    "What {w} remembered best was that {S} was {A} and {B}.",
    "{S} was {A} and {B}, as {w} found out {t}.",
    "{t}, {S} was {A}; {w} noticed that {it} was {B} as well.",
    "{w} wrote home about {S}, {which} was {A} and {B}.",
    "{w} discovered that the {A} {n} {p} was {B}.",
)
HYPOTHESES = (
    "{s} was {A}.",
    "{s} was {A}.",
    "{S} was {A}.",
    "We know that {s} was {A}.",
    "It is true that {s} was {A}.",
    "{w} is right to say that {s} was {A}.",
)


def _sentence(text: str) -> str:
    """Capital letters at the start and after a full stop."""
    text = text[0].upper() + text[1:]
    head, *rest = text.split(". ")
    return ". ".join([head, *(part[0].upper() + part[1:] for part in rest)])


@dataclass(frozen=True)
class Topic:
    """One subject at one place."""

    genre: Genre
    subject: str
    place: str

    def premise(self, rng: random.Random, first: str, second: str) -> str:
        """Write a sentence (or two) that says both things of the subject, in either order."""
        if rng.random() < 0.5:
            first, second = second, first
        return _sentence(
            rng.choice(PREMISES).format(
                S=f"the {self.subject} {self.place}",
                n=self.subject,
                p=self.place,
                A=first,
                B=second,
                it=self.genre.pronoun,
                It=self.genre.pronoun.capitalize(),
                which=self.genre.relative,
                t=rng.choice(TIMES),
                w=rng.choice(WITNESSES),
            )
        )

    def hypothesis(self, rng: random.Random, word: str) -> str:
        """Write a sentence that says one thing of the subject."""
        return _sentence(
            rng.choice(HYPOTHESES).format(
                s=f"the {self.subject}",
                S=f"the {self.subject} {self.place}",
                A=word,
                w=rng.choice(WITNESSES),
            )
        )


def topic(rng: random.Random, genres: tuple[Genre, ...]) -> Topic:
    """Draw a genre (weighted by its number of subjects), a subject and a place."""
    genre = rng.choices(genres, weights=[len(g.subjects) for g in genres])[0]
    return Topic(genre, rng.choice(genre.subjects), rng.choice(genre.places))


@dataclass(frozen=True)
class Pair:
    """A premise, a hypothesis, and how they stand to each other."""

    premise: str
    hypothesis: str
    label: int  # an index into LABELS


def square(rng: random.Random, genres: tuple[Genre, ...]) -> list[Pair]:
    """Nine pairs of one Latin square (see the table at the top)."""
    about = topic(rng, genres)
    a, b, c = rng.sample(about.genre.qualities, 3)
    side = {name: rng.randrange(2) for name in (a, b, c)}

    def say(name: str, *, chosen: bool) -> str:
        return rng.choice(QUALITIES[name][side[name] if chosen else 1 - side[name]])

    premises = [
        about.premise(rng, say(a, chosen=True), say(b, chosen=True)),
        about.premise(rng, say(b, chosen=False), say(c, chosen=True)),
        about.premise(rng, say(c, chosen=False), say(a, chosen=False)),
    ]
    hypotheses = [
        about.hypothesis(rng, say(a, chosen=True)),
        about.hypothesis(rng, say(b, chosen=False)),
        about.hypothesis(rng, say(c, chosen=False)),
    ]
    labels = ((0, 2, 1), (1, 0, 2), (2, 1, 0))
    return [
        Pair(premise, hypothesis, labels[row][column])
        for row, premise in enumerate(premises)
        for column, hypothesis in enumerate(hypotheses)
    ]


# Squares per split; a square is nine pairs.
SQUARES = {
    "train": 270,
    "validation_matched": 34,
    "validation_mismatched": 34,
    "test_matched": 14,
    "test_mismatched": 14,
}


def splits(seed: int | str, squares: dict[str, int] = SQUARES) -> dict[str, list[Pair]]:
    """All splits, shuffled; no premise occurs in two squares, so none in two splits."""
    seen: set[str] = set()
    made: dict[str, list[Pair]] = {}
    for name, count in squares.items():
        rng = random.Random(f"{seed} {name}")
        genres = MISMATCHED if name.endswith("mismatched") else MATCHED
        pairs: list[Pair] = []
        while len(pairs) < 9 * count:
            nine = square(rng, genres)
            premises = {pair.premise for pair in nine}
            if len({(p.premise, p.hypothesis) for p in nine}) == 9 and not premises & seen:
                seen |= premises
                pairs += nine
        rng.shuffle(pairs)
        made[name] = pairs
    return made


# Squares per split of what is drawn for a grading: as many as ours, so that what a script picks by
# number is there, and ``unseen``, of the kind of ``train``.
DRAWN = {**SQUARES, "unseen": 20}


def drawn(seed: str, task: str = "mnli") -> dict[str, list[Any]]:
    """Make splits of other sentences than ours, as many of them, and one to be kept unseen.

    The pairs have the columns of the task: see `Pair` here, and the other one of ``mrpc``.
    """
    if task == "mnli":
        return splits(seed, DRAWN)
    found: dict[str, list[Any]] = _beside({"mrpc": "paraphrases"}[task]).drawn(seed)
    return found


def _beside(name: str) -> ModuleType:
    """Load the module in this folder: grading loads this file by its path, and can't import it."""
    spec = importlib.util.spec_from_file_location(
        f"{__name__}_{name}", Path(__file__).with_name(f"{name}.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# Every word that says a quality.
TELLING = tuple(sorted({w for sides in QUALITIES.values() for side in sides for w in side}))


@dataclass(frozen=True)
class Passage:
    """Two sentences of one story, and whether a word of the second was exchanged."""

    first: str
    second: str
    exchanged: bool


def passages(seed: int, avoid: set[str]) -> Iterator[Passage]:
    """Text without end for the encoder's pre-training; no first sentence is in ``avoid``.

    A passage tells of one subject. Its second sentence says what comes up again in a story or is
    new: one of the two qualities of the first sentence, or a third one. In every second passage
    that word is then exchanged for one drawn blindly from all words that say a quality; it may
    happen to fit. No label is made or looked up, and none could be read off: a passage left as it
    was may be of the task's first kind or its second, an exchanged one of any.
    """
    rng = random.Random(f"{seed} passages")
    while True:
        about = topic(rng, MATCHED + MISMATCHED)
        a, b, c = (
            rng.choice(QUALITIES[name][rng.randrange(2)])
            for name in rng.sample(about.genre.qualities, 3)
        )
        first = about.premise(rng, a, b)
        exchanged = rng.random() < 0.5
        word = rng.choice(TELLING if exchanged else (a, b, c))
        if first not in avoid:
            yield Passage(first, about.hypothesis(rng, word), exchanged)
