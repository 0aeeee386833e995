"""The sentence pairs of ``mrpc``: short news, reported twice, and whether both say the same.

The sentences are our own.  An event is a handful of facts: shares of a company, rose, by 12
percent.  A report words it in one of several ways, and adds who says so and other things that
matter to nobody.  Two reports of one event are equivalent; where a fact differs they are not.

How the balance is kept: pairs are made twelve at a time, from two events that differ in one fact
or two.  Each event is reported four times, twice as a first sentence, r and r', and twice as a
second one, s and s':

    ==============  ==========  ==========  ==============  ==============
    first sentence  s           s'          s of the other  s' of the other
    ==============  ==========  ==========  ==============  ==============
    r               equivalent  equivalent  not
    r'              equivalent  equivalent                  not
    ==============  ==========  ==========  ==============  ==============

Each sentence is in two pairs that are equivalent and in one that is not: whoever sees one of the
two sentences only, or counts the words of both, can do no better than to answer "equivalent" each
time, which is right two times in three, as in the real MRPC.  Nor do common words tell much: two
reports of one event may be worded further apart than reports of two events.

No import from the modules beside it: the classroom loads this file by itself.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

LABELS = ("not_equivalent", "equivalent")
NOT_EQUIVALENT, EQUIVALENT = range(2)


def _values(text: str) -> tuple[tuple[str, ...], ...]:
    """Read ``a, b/c`` as two values, of which the second can be said in two ways."""
    return tuple(tuple(ways.strip().split("/")) for ways in text.split(","))


# What a fact can be, by its kind.  Everything here is one word to the tokenizers, or has one word
# of its own, because a tiny model compares words.
KINDS = {
    "company": _values(
        "Norvik, Altamar, Bexley, Corvane, Dunmore, Elmsford, Fairlane, Granite, Halden, Ivora, "
        "Kestrel, Lumen, Meridian, Oakridge, Pallas, Quantex, Solara, Tidewell"
    ),
    "city": _values(
        "Lisbon, Oslo, Warsaw, Dublin, Prague, Vienna, Athens, Madrid, Berlin, Geneva, Naples, "
        "Lagos, Nairobi, Lima, Manila, Osaka, Seoul, Kazan, Perth, Toronto"
    ),
    "person": _values(
        "Elena Novak/Novak/Ms Novak, David Okoro/Okoro/Mr Okoro, Anna Lindgren/Lindgren, "
        "Marco Ferri/Ferri/Mr Ferri, Mei Tanaka/Tanaka/Ms Tanaka, Omar Haddad/Haddad, "
        "Julia Weber/Weber/Ms Weber, Peter Dvorak/Dvorak/Mr Dvorak, Sofia Petrova/Petrova, "
        "James Mensah/Mensah/Mr Mensah, Laura Costa/Costa/Ms Costa, Ivan Orlov/Orlov"
    ),
    "team": _values(
        "Lions, Tigers, Eagles, Falcons, Wolves, Bears, Sharks, Bulls, Hawks, Panthers"
    ),
    "number": _values("3, 5, 7, 8, 9, 11, 12, 14, 15, 17, 20, 23, 25, 28, 30, 40, 45, 60"),
    "day": _values("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday"),
    "month": _values("January, February, March, April, June, July, August, October, November"),
    "building": _values("museum, library, bridge, airport, theatre, stadium, school, hospital"),
    "vehicle": _values("bus, train, tram, truck, ferry, taxi, van"),
    "storm": _values("storm, flood, fire, earthquake"),
    "move": _values("rose/climbed, fell/dropped"),
    "trade": _values("bought/acquired, sold"),
    "game": _values("beat/defeated, lost to"),
    "door": _values("opened, closed/shut"),
    "job": _values("joined, left/quit"),
    "view": _values("want/support, oppose/reject"),
}


@dataclass(frozen=True)
class Topic:
    """A kind of event: its facts (a name and a kind each), and the ways to report it."""

    facts: dict[str, str]
    wordings: tuple[str, ...]


TOPICS = (
    Topic(
        {"who": "company", "move": "move", "n": "number"},
        (
            "{who} {move} {n} percent",
            "shares of {who} {move} {n} percent",
            "shares in {who} {move} by {n} percent",
            "the price of {who} shares {move} by {n} percent in one day",
            "investors saw that {who} {move} {n} percent",
            "the stock of {who}, which many people own, {move} by some {n} percent",
        ),
    ),
    Topic(
        {"who": "company", "trade": "trade", "what": "company", "n": "number"},
        (
            "{who} {trade} {what} for {n} million euros",
            "{who} {trade} its rival {what} for {n} million",
            "for {n} million euros, {who} {trade} {what}",
            "the company {who} {trade} {what}, a smaller firm, for about {n} million euros",
            "it was for {n} million euros that {who} {trade} {what}",
        ),
    ),
    Topic(
        {"who": "team", "game": "game", "whom": "team", "city": "city"},
        (
            "the {who} {game} the {whom} in {city}",
            "in {city}, the {who} {game} the {whom}",
            "the {who} {game} the {whom} in front of a large crowd in {city}",
            "at the stadium of {city} the {who} {game} the {whom} by a single point",
            "it was in {city} that the {who} {game} the {whom}",
        ),
    ),
    Topic(
        {"n": "number", "what": "vehicle", "city": "city"},
        (
            "{n} people were hurt in a {what} accident in {city}",
            "a {what} accident in {city} left {n} injured",
            "in {city}, {n} people were injured when a {what} left the road",
            "{n} were hurt when a {what} crashed near {city}",
            "a {what} crash near {city} injured {n} people, two of them children",
        ),
    ),
    Topic(
        {"who": "person", "city": "city", "when": "month"},
        (
            "{who} will visit {city} in {when}",
            "{who} will travel to {city} in {when}",
            "in {when}, {who} will go to {city}",
            "{city} expects a visit by {who} in {when}",
            "a visit by {who} to {city}, the first in many years, is planned for {when}",
            "the plans of {who} include a trip to {city} in {when}",
        ),
    ),
    Topic(
        {"what": "building", "door": "door", "city": "city", "when": "day"},
        (
            "the {what} in {city} {door} on {when}",
            "on {when}, the {what} of {city} {door}",
            "the old {what} in the centre of {city} {door} on {when}",
            "in {city} a {what} {door} on {when}",
            "it was on {when} that the well known {what} in {city} {door}",
        ),
    ),
    Topic(
        {"what": "storm", "city": "city", "when": "day"},
        (
            "a {what} hit {city} on {when}",
            "{city} was hit by a {what} on {when}",
            "on {when} a {what} reached {city}",
            "a heavy {what} struck the city of {city} on {when}, and many streets were empty",
            "people in {city} had to leave their homes on {when} because of a {what}",
        ),
    ),
    Topic(
        {"who": "person", "job": "job", "what": "company", "when": "month"},
        (
            "{who} {job} {what} in {when}",
            "in {when}, {who} {job} {what}",
            "{who} {job} the board of {what} in {when}",
            "the engineer {who} {job} the company {what} in {when}",
            "it was in {when} that {who}, a lawyer by training, {job} {what}",
        ),
    ),
    Topic(
        {"n": "number", "view": "view", "what": "building", "city": "city"},
        (
            "{n} percent {view} a new {what} in {city}",
            "in {city}, {n} percent {view} a new {what}",
            "{n} percent of the people in {city} {view} a new {what}",
            "a new {what} is what {n} percent of the voters in {city} {view}",
            "in a poll of a thousand people, {n} percent {view} plans for a {what} in {city}",
        ),
    ),
)

# What says who says so and what else is going on: it differs from report to report and tells
# nothing.
SOURCES = (
    "officials",
    "the police",
    "local media",
    "a spokesman",
    "the mayor",
    "two newspapers",
    "witnesses",
    "the ministry",
    "a reporter of the Herald",
    "the Evening Post",
    "Radio North",
    "a person close to the matter",
)
BEFORE = (
    "according to {source}, ",
    "{source} said that ",
    "{source} confirmed that ",
    "{source} told reporters late at night that ",
    "it is now certain that ",
    "as expected, ",
    "after weeks of rumours, {source} announced that ",
    "nobody was surprised to hear that ",
)
AFTER = (
    ", {source} said",
    ", said {source}",
    ", {source} reported",
    ", as {source} had predicted",
    ", which {source} called a turning point",
    ", but {source} declined to comment",
    " after a long and difficult year",
    ", and more is expected to follow soon",
    ", {source} said in a short statement that was published early in the morning",
)
BARE = 0.6
"""How often a report has nothing before the event, and how often nothing after it."""


@dataclass(frozen=True)
class Event:
    """A topic and, for each of its facts, which of the values of its kind is the case."""

    topic: Topic
    facts: dict[str, int]

    def other(self, rng: random.Random, changes: int) -> Event:
        """Make an event of which so many facts differ."""
        facts = dict(self.facts)
        while sum(facts[name] != self.facts[name] for name in facts) < changes:
            name = rng.choice(list(facts))
            facts[name] = _draw(rng, self.topic.facts, facts, name)
        return Event(self.topic, facts)

    def report(self, rng: random.Random) -> str:
        """One of the many sentences that tell of it."""
        told = rng.choice(self.topic.wordings).format(
            **{
                name: rng.choice(KINDS[kind][self.facts[name]])
                for name, kind in self.topic.facts.items()
            }
        )
        before = "" if rng.random() < BARE else rng.choice(BEFORE)
        after = "" if rng.random() < BARE else rng.choice(AFTER)
        said = (before + told + after).format_map(_Sources(rng))
        return said[0].upper() + said[1:] + "."


class _Sources(dict[str, str]):
    """A source, drawn each time that one is asked for."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __missing__(self, key: str) -> str:
        return self.rng.choice(SOURCES)


def _draw(rng: random.Random, kinds: dict[str, str], facts: dict[str, int], name: str) -> int:
    """Draw a value for this fact that no fact of its kind has: no team plays against itself."""
    taken = {
        facts[other] for other, kind in kinds.items() if kind == kinds[name] and other in facts
    }
    return rng.choice([i for i in range(len(KINDS[kinds[name]])) if i not in taken])


def event(rng: random.Random) -> Event:
    """Draw a topic and its facts."""
    topic = rng.choice(TOPICS)
    facts: dict[str, int] = {}
    for name in topic.facts:
        facts[name] = _draw(rng, topic.facts, facts, name)
    return Event(topic, facts)


@dataclass(frozen=True)
class Pair:
    """Two sentences, and whether they say the same."""

    sentence1: str
    sentence2: str
    label: int  # an index into LABELS


def dozen(rng: random.Random) -> list[Pair]:
    """Twelve pairs of two events (see the table at the top)."""
    one = event(rng)
    two = one.other(rng, rng.choice((1, 1, 2)))
    firsts = [[e.report(rng), e.report(rng)] for e in (one, two)]
    seconds = [[e.report(rng), e.report(rng)] for e in (one, two)]
    pairs = []
    for mine, others in ((0, 1), (1, 0)):
        for i, first in enumerate(firsts[mine]):
            pairs += [Pair(first, second, EQUIVALENT) for second in seconds[mine]]
            pairs.append(Pair(first, seconds[others][i], NOT_EQUIVALENT))
    return pairs


# Dozens per split, and per split of what is drawn for a grading; ``unseen`` is like the others.
DOZENS = {"train": 135, "validation": 25, "test": 25}
DRAWN = {**DOZENS, "unseen": 16}


def splits(seed: int | str, dozens: dict[str, int] = DOZENS) -> dict[str, list[Pair]]:
    """All splits, shuffled; no sentence occurs in two dozens, so none in two splits."""
    seen: set[str] = set()
    made: dict[str, list[Pair]] = {}
    for name, count in dozens.items():
        rng = random.Random(f"{seed} mrpc {name}")
        pairs: list[Pair] = []
        while len(pairs) < 12 * count:
            twelve = dozen(rng)
            sentences = {text for pair in twelve for text in (pair.sentence1, pair.sentence2)}
            if len(sentences) == 8 and not sentences & seen:
                seen |= sentences
                pairs += twelve
        rng.shuffle(pairs)
        made[name] = pairs
    return made


def drawn(seed: str) -> dict[str, list[Pair]]:
    """Make splits of other sentences than ours, fewer of them, and one to be kept unseen."""
    return splits(seed, DRAWN)


# Every word that tells a fact.
TELLING = tuple(
    sorted({w for values in KINDS.values() for ways in values for way in ways for w in way.split()})
)


@dataclass(frozen=True)
class Passage:
    """Two reports, and whether a word of the second was exchanged."""

    first: str
    second: str
    exchanged: bool


def passages(seed: int, avoid: set[str]) -> Iterator[Passage]:
    """Text without end for the encoders' pre-training; no first sentence is in ``avoid``.

    A passage is two reports of one event.  In every second passage one fact of the second report
    is then exchanged for another one of its kind, drawn blindly; it may happen to be the same.
    """
    rng = random.Random(f"{seed} mrpc passages")
    while True:
        about = event(rng)
        first = about.report(rng)
        exchanged = rng.random() < 0.5
        if exchanged:
            name = rng.choice(list(about.facts))
            value = rng.randrange(len(KINDS[about.topic.facts[name]]))
            about = Event(about.topic, {**about.facts, name: value})
        if first not in avoid:
            yield Passage(first, about.report(rng), exchanged)
