"""What the text of a script tells of a training by itself: rows that leave their labels, and more.

Whether it matters is measured: beside it stands what the training is known by.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from course.facts.facts import FactSet
from course.facts.record import LedgerRecord
from course.facts.studies import longer_share, unread_columns
from course_probe.reading.beside_accelerator import backwards_beside
from course_probe.reading.chosen_answers import answers_chosen
from course_probe.reading.cut_texts import cut_texts
from course_probe.reading.dropped_columns import is_chosen
from course_probe.reading.idle_lines import misspelt_freezing, never_trained, said_frozen
from course_probe.reading.item_places import items_apart, words_apart
from course_probe.reading.last_batch import last_batches, last_numbers
from course_probe.reading.left_early import left_at_once, left_behind, left_early
from course_probe.reading.lowest_output import least_similar, lowest_chosen
from course_probe.reading.row_order import pairing
from course_probe.reading.same_twice import scored_against_itself
from course_probe.reading.swapped_scores import swapped_scores
from course_probe.reading.turned_apart import turned_apart
from course_probe.reading.unasked_network import asks_none
from course_probe.reading.used_up import clips_nothing
from course_probe.reading.whole_statistics import chosen_columns, whole_statistics

_PLACES = re.compile(r"int\d+ \[(\d+)\]")
TEACHER = 0.5
"""The share of steps from which on a network that is asked beside them is no evaluation."""
SMALLEST = 8
"""Rows and columns that a picture has at least."""
LEARNED = 0.7
"""How high a loss may end, beside that of a constant answer, where its labels are learned."""
SURE = 3.0
"""Standard errors by which a score is above chance for certain."""


def of_text(text: str, record: LedgerRecord, facts: Sequence[FactSet]) -> Iterator[FactSet]:
    """The facts of each line that the text is read for; none where it can't be read."""
    try:
        tree = ast.parse(text)
        apart = pairing(tree).apart
    except (SyntaxError, ValueError, RecursionError):
        return
    fits = _fits(facts)
    fresh = max(map(_fresh, facts), default=0.0)
    # Only a loss of classes has an axis of them: the highest output is then the answer.
    classes = any("class_axis_wrong" in each.values for each in facts)
    beside = {
        "steps": float(record.steps),
        "fits": float(fits),
        "fresh": fresh,
        "classes": float(classes),
        **_of_networks(facts),
    }
    divided = [each.values["divided"] for each in facts if "divided" in each.values]
    if divided and record.steps:
        beside |= {"divided": max(divided), "gathered": record.backwards / record.steps}
    for each in apart:
        words = {"moved": each.moved, "other": each.other}
        values = {"crossed": float(each.crossed), "apart": float(not each.crossed)}
        yield FactSet("text", each.line, {**values, **beside}, words)
    evaluating = _evaluating(tree, record)
    is_evaluated = any(
        each.kind == "evaluation" and each.values["beside"] < TEACHER for each in facts
    )
    lines = {
        "items_apart": items_apart(tree),
        "words_apart": words_apart(tree),
        "lowest": lowest_chosen(tree),
        "least_similar": least_similar(tree),
        "against_itself": scored_against_itself(tree),
        "last_batch": [*last_batches(tree, evaluating), *last_numbers(tree, evaluating)],
        "said_frozen": said_frozen(tree),
        "untrained": never_trained(tree),
        "unasked": [] if is_evaluated else asks_none(tree),
        "swapped": swapped_scores(tree),
        "chosen_of_all": chosen_columns(tree),
        "of_all": whole_statistics(tree),
        "beside_accelerator": backwards_beside(tree),
        "left_early": left_early(tree, _around(tree, [each.line for each in record.passes])),
        "left_at_once": left_at_once(tree, _around(tree, [each.line for each in record.losses])),
    }
    # Of the passes of one line, a loss reaches some and others not.
    trained = [p for p in record.passes if p.training and p.grad and p.reached]
    parted = [p for p in trained if p.aside]
    if parted:
        rest = sum(p.aside for p in parted)
        beside["unsent"] = rest / (rest + sum(p.reached for p in parted))
        both = ([p.line for p in parted], [p.line for p in trained if not p.aside])
        lines["left_behind"] = left_behind(tree, *both, [each.line for each in record.losses])
    widths = [each.values.get("width") for each in facts if each.kind == "answers"]
    if widths and all(each == 1 for each in widths):
        lines["chosen_of_one"] = answers_chosen(tree)
    for name, found in lines.items():
        yield from (FactSet("text", line, {name: 1.0, **beside}) for line in found)
    for unread in unread_columns(record.studies):
        values = {
            "told": unread.told,
            "told_without": unread.without,
            "told_gain": unread.told - unread.without,
            "meant": float(is_chosen(tree, unread.name, unread.given)),
        }
        yield FactSet("text", unread.line, {**values, **beside}, {"column": unread.name})
    for one in turned_apart(tree):
        words = {"moved": one.turned, "other": one.other}
        values = {"turned_apart": 1.0, "pictures": float(one.both or _are_pictures(record))}
        yield FactSet("text", one.line, {**values, **beside}, words)
    for line, name in misspelt_freezing(tree):
        yield FactSet("text", line, {"misspelt": 1.0, **beside}, {"other": name})
    for line, name in clips_nothing(tree):
        yield FactSet("text", line, {"clips_nothing": 1.0, **beside}, {"other": name})
    width = _width(record)
    padded = [each.values["padded"] for each in facts if "padded" in each.values]
    if width and padded:
        beside |= {"cut_to": float(width), "padded": max(padded)}
        # A word is a token, or several: where these are not known, nothing is.
        longer = longer_share(record.studies, width)
        beside |= {} if longer is None else {"longer": longer}
        lines_cut = [line for line, limit in cut_texts(tree) if limit in (width, None)]
        yield from (FactSet("text", line, beside) for line in lines_cut)


def with_uses(text: str, facts: Iterable[FactSet]) -> tuple[FactSet, ...]:
    """The facts, where answers that a statement throws away are no evaluation of anything.

    Such passes warm a network up, or gather the means of batch norm.
    """
    try:
        unused = set(_thrown_away(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        unused = set()
    return tuple(
        replace(each, values={**each.values, "used": 0.0})
        if each.kind == "evaluation" and each.line in unused
        else each
        for each in facts
    )


def _thrown_away(tree: ast.Module) -> Iterator[int]:
    """The lines of calls whose result nothing is made of, nor any other call given."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call):
            calls = [node for node in ast.walk(each.value) if isinstance(node, ast.Call)]
            given = [one for call in calls for one in (*call.args, *call.keywords)]
            if not any(isinstance(n, ast.Call) for one in given for n in ast.walk(one)):
                yield from range(each.lineno, (each.end_lineno or each.lineno) + 1)


def _fits(facts: Iterable[FactSet]) -> bool:
    """Whether answers fit their labels above chance, or, where none were compared, a loss says so.

    Beside answers that do not fit, a loss may be low: labels in any order can be learned by heart.
    """
    known = [each.values for each in facts]
    agree = [each["agree_in_chance"] for each in known if "agree_in_chance" in each]
    ended = [each["ended"] for each in known if "ended" in each]
    return max(agree) > SURE if agree else min(ended, default=1.0) < LEARNED


def _of_networks(facts: Sequence[FactSet]) -> dict[str, float]:
    """What is known of the networks that is not at one line."""
    found = [each.values for each in facts if each.kind == "network"]
    names = ("unfrozen", "drawn_share", "asked_rows")
    return {name: max((each.get(name, 0.0) for each in found), default=0.0) for name in names}


def _width(record: LedgerRecord) -> int | None:
    """How many places all rows of ids have that a network is trained on; None if they differ."""
    given = {one for each in record.passes if each.reached for one in each.given}
    widths = {_PLACES.fullmatch(one) for one in given}
    found = {int(each[1]) for each in widths if each}
    return found.pop() if len(found) == 1 else None


def _fresh(facts: FactSet) -> float:
    """How many rows of an evaluation were not trained on."""
    return facts.values.get("rows", 0.0) - facts.values.get("known", 0.0)


def _are_pictures(record: LedgerRecord) -> bool:
    """Whether labels have as many rows and columns as what a network is given."""
    for study in record.studies:
        found = study["found"]
        given = [shape[-2:] for shape, _moves in found.get("columns", [])]
        targets = [shape[-2:] for shape in found.get("targets", []) if len(shape) > 2]
        if any(shape in given and min(shape) >= SMALLEST for shape in targets):
            return True
    return False


def _evaluating(tree: ast.Module, record: LedgerRecord) -> list[int]:
    """The first lines of loops in which a network is asked several times, and not trained."""
    asked = [each.line for each in record.passes if each.aside > 1 and not each.reached]
    return [
        loop.lineno
        for loop in ast.walk(tree)
        if isinstance(loop, ast.For)
        and any(loop.lineno <= line <= (loop.end_lineno or line) for line in asked)
    ]


def _around(tree: ast.Module, lines: Iterable[int]) -> set[int]:
    """The first lines of the innermost loops that have some lines in them."""
    loops = [each for each in ast.walk(tree) if isinstance(each, ast.For)]
    return {
        max((e.lineno for e in loops if e.lineno <= line <= (e.end_lineno or line)), default=0)
        for line in lines
    }
