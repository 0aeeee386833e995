"""What of a submission is adapted to what is installed, and to the models that are there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from course.diagnosis.text import drift
from course.grading import location
from course.grading.grade import GradeNote, Healthy
from course.grading.rubric import Rubric
from course.lesson.lesson import Part
from course.runs import embedded_names

GIVEN_BACK = ("transformers.AdamW", "datasets.load_metric")
"""Names that a library has dropped, and another has a function for that takes the same."""


def of(part: Part) -> dict[str, Any]:
    """Make the adaptations of a part's submissions; see `course_probe/exam/adapted_calls.py`.

    What one of the part's own bugs is about is left alone: there the old name is to bite.
    """
    buggy = " ".join(edit.buggy for bug in part.known for edit in bug.edits)
    arguments = {
        call: {old: new for old, new in names.items() if not re.search(rf"\b{old}\s*=", buggy)}
        for call, names in _old_names().items()
    }
    names = {
        each.old: each.new
        for each in drift.listed().name
        if each.old in GIVEN_BACK and each.old.rpartition(".")[2] not in buggy
    }
    models = embedded_names.names("models")
    if part.exam is not None:
        # Its data were tokenized for this one.
        known = [part.exam.checkpoint]
    else:
        known = sorted(models, key=lambda name: f'"{name}"' not in part.text(()))
    return {"names": names, "arguments": arguments, "checkpoint": known[0], "known": known}


@cache
def _old_names() -> Mapping[str, Mapping[str, str]]:
    """By call, the arguments that a library has renamed or dropped, with those of today."""
    found: dict[str, dict[str, str]] = {}
    for each in drift.listed().argument:
        found.setdefault(each.call, {})[each.old] = each.new
    return found


@dataclass(frozen=True)
class Adapted:
    """One place that was adapted: `instead` is in the place of `name`; the line is 0 if unknown."""

    kind: str
    name: str
    instead: str
    line: int


MANY, LONG = 30, 80
NOTES = {
    "argument": "adapted-argument",
    "service": "absent-service",
    "device": "absent-device",
    "model": "other-checkpoint",
    "tokenizer": "other-checkpoint",
    "config": "other-checkpoint",
}
"""The note on a place, by its kind."""


def hear(known: list[Adapted], event: Mapping[str, Any]) -> None:
    """Take in what a process says that it has adapted; it speaks against the submission only."""
    kind, line = str(event["kind"]), event["line"]
    if kind in NOTES and type(line) is int and len(known) < MANY:
        name, instead = (_printable(str(event[n])) for n in ("name", "instead"))
        known.append(Adapted(kind, name, instead, max(0, line)))


def _printable(text: str) -> str:
    return "".join(c for c in text[:LONG] if c.isprintable())


def notes(text: str, adapted: Sequence[Adapted]) -> Iterator[GradeNote]:
    """Yield a note on each place that was adapted, and on a tokenizer that is not the model's."""
    told = set()
    for each in adapted:
        name = NOTES[each.kind]
        if name == "adapted-argument" and not each.instead:
            name = "dropped-argument"
        if (name, each.name) in told:
            continue
        told.add((name, each.name))
        place = location.find(text, each.line) if each.line else {"line": 0}
        figures = {"name": each.name, **({"instead": each.instead} if each.instead else {})}
        yield GradeNote(name, {**place, **figures})
    models, tokenizers = (
        {each.name for each in adapted if each.kind == kind} for kind in ("model", "tokenizer")
    )
    # A name that was there is not told: only one of the two was then another.
    loads_both = "Tokenizer" in text and "Model" in text
    if (models or tokenizers) and not models & tokenizers and loads_both:
        yield GradeNote("foreign-checkpoint")


def cost(healthy: Healthy, rubric: Rubric, adapted: Sequence[Adapted]) -> Healthy:
    """Return the outcome, less the rubric's cost where a script does not run as it is."""
    if not rubric.adapted or not any(e.kind not in ("service", "device") for e in adapted):
        return healthy
    return replace(healthy, points=max(0.0, healthy.points - rubric.adapted))
