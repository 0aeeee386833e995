"""Write `docs/facts.md`: the rules, facts and figures by which faults are known.

``python docs/facts.py``; a test holds the page to what this makes.
"""

import itertools
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import get_args, get_type_hints

from course.base import paths
from course.facts.facts import FactKind
from course.invariants.rule import Invariant, Threshold
from course.invariants.rules import INVARIANTS
from course.lesson.catalogue import catalogue
from course.lesson.signature import SilentSignature
from course.runs.vital_signs import VitalSigns, read

PAGE = Path(__file__).with_name("facts.md")
HEAD = """# Facts, rules and figures

<!-- Made by `python docs/facts.py`. -->

What silent faults are known by; [A lesson in an afternoon](authoring.md#a-silent-fault) tells how.
Rules and facts are of trainings with PyTorch and Keras; figures are of lessons and classes. What a
compiled step hides is not measured of Keras: gradients by parameter, what is
on the way to a loss by hand, weights that are loaded.

"""
RULES = """## Rules

A rule is broken where all its bounds hold, and all it is *given*. A bound marked with \\* was set
by honest scripts, from which it keeps its distance; the others follow from theory. *Early*: it may
be told while the script still runs.

"""
FACTS = """## Facts

By what they are of; `course/facts/` computes them. Facts of a `text` are read off the script,
beside a training that was measured.

"""
VITALS = """## Vital signs

Each number of `course/runs/vital_signs.py` is a figure, by its part.

"""
FIGURES = """## Figures

From `lessons/figures.toml`. A share is from 0 to 1, *whether* is 0 or 1; a *loop* is one by hand.
They are of lessons with PyTorch.

"""


def page() -> str:
    """Return the page in Markdown."""
    rules = dict.fromkeys(each.id for each in INVARIANTS)
    parts = [RULES, *map(_rule_rows, rules), FACTS, _facts(), VITALS, _vital_signs(), FIGURES]
    return HEAD + "".join([*parts, _figures()]).rstrip() + "\n"


def _rule_rows(rule: str) -> str:
    """Format the ways in which a rule may be broken."""
    rows = [
        [
            f"`{each.name}`",
            each.of,
            _bounds(each),
            " ".join(each.sentence.split()),
            "early" if each.settled is not None else "",
            _names(_faults()[each.name]),
        ]
        for each in INVARIANTS
        if each.id == rule
    ]
    head = ["rule", "of", "broken", "what is told", "", "faults"]
    return f"**`{rule}`**\n\n{_table(head, rows)}\n"


def _bounds(rule: Invariant) -> str:
    ways = " *or* ".join(_all(bounds) for bounds in rule.broken)
    return f"{ways}; *given* {_all(rule.given)}" if rule.given else ways


def _all(bounds: Iterable[Threshold]) -> str:
    return ", ".join(
        f"`{b.fact} {b.compare} {b.limit}`" + ("\\*" if b.by == "honest" else "") for b in bounds
    )


def _silent() -> Iterable[tuple[str, SilentSignature]]:
    for fault in catalogue().values():
        for signature in fault.signatures:
            if isinstance(signature, SilentSignature):
                yield fault.id, signature


def _faults() -> dict[str, list[str]]:
    """Return the faults that are known by each rule, among others."""
    found = defaultdict[str, list[str]](list)
    for fault, signature in _silent():
        for rule in signature.when:
            if fault not in found[rule]:
                found[rule].append(fault)
    return found


def _facts() -> str:
    """List the facts that bounds and signatures ask for, by what they are of."""
    found = defaultdict[str, set[str]](set)
    for rule in INVARIANTS:
        sets = (*rule.broken, rule.given, *(rule.settled or ())[:1])
        for bound in itertools.chain(*sets):
            found[rule.of].add(bound.fact)
            if isinstance(bound.limit, str):
                found[rule.of].add(bound.limit)
    for _fault, signature in _silent():
        for condition in signature.where:
            kind, _dot, fact = condition.figure.partition(".")
            if kind in get_args(FactKind):
                found[kind].add(fact)
    rows = [[kind, _names(sorted(facts))] for kind, facts in sorted(found.items())]
    return _table(["of", "facts"], rows) + "\n"


def _vital_signs() -> str:
    """List the numbers of each part, and those that follow from others."""
    measured = {part.name: _ones(type(part.default)) for part in fields(VitalSigns)}
    found = defaultdict[str, list[str]](list)
    for figure, _value in read(measured).figures():
        part, _dot, name = figure.partition(".")
        found[part].append(name)
    rows = [[f"`{part}.`", _names(names)] for part, names in found.items()]
    return _table(["part", "figures"], rows) + "\n"


def _ones(part: type) -> dict[str, int | float | str]:
    """All that a part of the vital signs may have measured, with something in it."""
    kinds = {name: get_args(hint) for name, hint in get_type_hints(part).items()}
    return {name: of[0](1) for name, of in kinds.items() if NoneType in of}


def _figures() -> str:
    groups = tomllib.loads((paths.lessons() / "figures.toml").read_text("utf-8"))["group"]
    rows = []
    for group in groups:
        rows.append([f"*{group['when']}*", ""])
        rows += [[_names(each["names"]), each["what"]] for each in group["figures"]]
    return _table(["figure", "what it is"], rows)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
