"""What the text of a script tells of a training by itself: rows that leave their labels, and more.

Whether it matters is measured: beside it stands what the training is known by.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from course.facts.facts import FactSet
from course.facts.record import LedgerRecord, Passes
from course.facts.studies import LATE, changed_rows, ignored_classes, longer_share, unread_columns
from course_probe.reading import (
    answers,
    averages,
    bootstrap,
    calls,
    carried_state,
    copied_rows,
    counts,
    critics,
    divergences,
    dropping,
    folds,
    forcing,
    goes_on,
    halves,
    items,
    kept_best,
    later_rows,
    loader_order,
    loops,
    narrow_numbers,
    own_figures,
    own_state,
    plateaus,
    rankings,
    rows,
    seeds,
    shared_layers,
    signs,
    totals,
    units,
    unused,
    weights,
)
from course_probe.reading.held_out_names import holds_out
from course_probe.reading.row_order import pairing
from course_probe.reading.script_text import getters
from course_probe.reading.whole_statistics import whole_statistics

OfText = TypeVar("OfText")
_PLACES = re.compile(r"int\d+ \[(\d+)\]")
TEACHER = 0.5
"""The share of steps from which on a network that is asked beside them is no evaluation."""
MIXED = 8
"""Rows that were trained on, among others of one batch, that are no chance."""
SMALLEST = 8
"""Rows and columns that a picture has at least."""
PART = 0.9
"""The share of the rows of a training up to which those that are asked were chosen."""
CARRIED = (totals.carried_totals, totals.interval_totals, totals.never_reset)
SAME = 0.95
"""The share of the rows of an evaluation beyond which no row comes again."""
TWICE = 1.5
"""Times that rows are passed from which on they are read again."""
SURE = 3.0
"""Standard errors by which a score is above chance for certain."""


def of_text(text: str, record: LedgerRecord, facts: Sequence[FactSet]) -> Iterator[FactSet]:
    """Yield the facts of each line that the text is read for; none where it can't be read."""
    try:
        tree = ast.parse(text)
        apart = pairing(tree).apart
    except (SyntaxError, ValueError, RecursionError):
        return
    beside = {
        # Without any network, steps are taken by hand.
        "steps": float(record.steps or (0 if record.networks else record.backwards)),
        "fits": float(max(_all_of(facts, "agree_in_chance"), default=0.0) > SURE),
        "ended": min(_all_of(facts, "ended"), default=1.0),
        # Late in a training, something of the rows' own labels is to be known.
        "known_gain": max(
            (e.values["known_gain"] for e in facts if e.kind == "step" and _is_late(e)), default=1.0
        ),
        # How many rows of an evaluation were not trained on.
        "fresh": max(
            (e.values.get("rows", 0) - e.values.get("known", 0) for e in facts), default=0
        ),
    }
    parted, _whole = _parted(record)
    rest = sum(p.aside for p in parted)
    beside["unsent"] = rest / max(1, rest + sum(p.reached for p in parted))
    for name in ("drawn_share", "rows_asked", "carried", "times", "shared"):
        beside[name] = max(_all_of(facts, name, "network"), default=0.0)
    for name in ("ignored_real", "ignored_counted"):
        beside[name] = max(_all_of(facts, name), default=0.0)
    beside["known"] = max(
        (e.values["known"] for e in facts if e.kind == "evaluation" and _is_mixed(e)), default=0.0
    )
    beside["workers"] = float(record.workers)
    beside["come_again"] = float(not _is_asked_anew(record))
    for name, lines in _plain(tree, record, facts):
        yield from (FactSet("text", line, {name: 1.0, **beside}) for line in lines)
    reading = getters(tree)
    trained = max((each.rows for each in record.networks), default=0)
    worded = {
        "apart": [
            *((each.line, each.moved, each.other) for each in apart),
            *(each[:3] for each in rows.items_apart(tree)),
            *(each[:3] for each in _read(rows.files_apart, tree)),
        ],
        "mixed_apart": [each[:3] for each in _read(rows.mixed_apart, tree)],
        "turned_apart": [each[:3] for each in _turned(tree, record)],
        "other_order": [
            *_read(loader_order.positional, tree),
            *_read(loader_order.gathered, tree),
        ],
        "changed": [
            (reading[kind].lineno, f"self.{name}", "")
            for kind, name, count in changed_rows(record.studies)
            # Who reads each row once has it as it is.
            if kind in reading and trained > TWICE * count
        ],
    }
    worded |= {n: [(at, "", e) for at, e in each] for n, each in _quoted(tree, text).items()}
    for name, found in worded.items():
        for line, moved, other in found:
            words = {"moved": moved, "other": other}
            yield FactSet("text", line, {name: 1.0, **beside}, words)
    unfrozen = max(_all_of(facts, "unfrozen"), default=0.0)
    for line, name in calls.freezes_nothing(tree):
        # Parameters that a part of a network has may be frozen otherwise.
        idle = unfrozen if name == calls.FREEZING else 1.0
        yield FactSet("text", line, {"freezes_nothing": idle, **beside}, {"other": name})
    for unread in unread_columns(record.studies):
        if not calls.is_chosen(tree, unread.name, unread.given):
            told = {"told": unread.told, "told_without": unread.without}
            told["told_gain"] = unread.told - unread.without
            yield FactSet("text", unread.line, {**told, **beside}, {"column": unread.name})
    width = _width(record)
    # Where a row is filled up, it has come to its end.
    if width and set(_all_of(facts, "padded")) == {0}:
        # A word is a token, or several: where these are not known, nothing is.
        longer = longer_share(record.studies, width)
        cut = {"cut_to": float(width)} | ({} if longer is None else {"longer": longer})
        lines = [line for line, limit in calls.cut_texts(tree) if limit in (width, None)]
        yield from (FactSet("text", line, {**cut, **beside}) for line in lines)
    for line, gathered in _gathered(tree, record, facts):
        yield FactSet("text", line, {**gathered, **beside})


def _quoted(tree: ast.Module, text: str) -> dict[str, list[tuple[int, str]]]:
    """Return the facts that are told with one thing of their line, and what that is."""
    return {
        "clips_nothing": calls.clips_nothing(tree),
        "used_up": _read(loops.used_up, tree),
        "kept_worst": [*kept_best.kept_worst(tree), *kept_best.monitored_worst(tree)],
        "kept_never": kept_best.kept_never(tree),
        "kept_itself": kept_best.kept_itself(tree),
        "same_network": _read(bootstrap.same_network, tree),
        "for_nothing": _read(unused.made_for_nothing, tree, text),
        "state_unread": _read(unused.unread_states, tree),
        "for_both": _read(halves.set_for_both, tree),
    }


def _read(reader: Callable[..., list[OfText]], *given: Any) -> list[OfText]:
    """Return what a reader finds; nothing where a text is nested too deeply for it."""
    try:
        return reader(*given)
    except RecursionError:
        return []


def _gathered(
    tree: ast.Module, record: LedgerRecord, facts: Sequence[FactSet]
) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield the lines that send losses as they are, of which a step follows several."""
    if not record.steps:
        return
    each_step = record.backwards / record.steps
    if set(_all_of(facts, "divided")) == {0}:
        yield from ((line, {"gathered": each_step}) for line in calls.backwards_beside(tree))
    if set(_all_of(facts, "scaled")) == {0}:
        sent = {each.line for each in record.losses}.intersection(calls.adds_up(tree))
        yield from ((line, {"added_up": each_step}) for line in sorted(sent))


def with_uses(text: str, facts: Iterable[FactSet]) -> tuple[FactSet, ...]:
    """Add to the facts the uses of the evaluations, and of the gradients, in a script's text.

    Answers that a statement throws away are no evaluation of anything: such passes warm a network
    up, or gather the means of batch norm. Who asks all rows of the training, and calls nothing held
    out, does not claim that these are.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return tuple(facts)
    unused = set(_thrown_away(tree))
    stepless = calls.sent_without_steps(tree)
    # Of a module nothing is known by its text.
    of_losses = {"held_later": float(calls.holds_more_later(tree))} if text else {}
    is_claimed = not text or holds_out(tree)
    is_mode_given = dropping.is_switched(tree)
    is_agent = signs.is_of_agent(tree)

    def told(values: Mapping[str, float], line: int) -> dict[str, float]:
        is_part = values.get("of_trained", 0.0) < PART
        claimed = {} if is_claimed or is_part else {"claimed": 0.0}
        is_unused = line in unused and not values.get("told")
        if "dropping_by_function" in values and not is_mode_given:
            claimed["dropping_share"] = values["dropping_by_function"]
        return {**values, **claimed, **({"used": 0.0} if is_unused else {})}

    def of(each: FactSet) -> FactSet:
        if each.kind == "evaluation":
            return replace(each, values=told(each.values, each.line))
        if each.kind == "step":
            # In the evaluation, its mode may be told otherwise.
            left_out = {"dropped"} if is_mode_given else set()
            values = {name: value for name, value in each.values.items() if name not in left_out}
            return replace(each, values={**values, "agent": float(is_agent)})
        if each.kind == "loss":
            without = {"stepless": 1.0} if each.line in stepless else {}
            return replace(each, values={**each.values, **of_losses, **without})
        return each

    return tuple(map(of, facts))


def _thrown_away(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of calls whose result is neither used nor given to another call."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call):
            calls = [node for node in ast.walk(each.value) if isinstance(node, ast.Call)]
            given = [one for call in calls for one in (*call.args, *call.keywords)]
            if not any(isinstance(n, ast.Call) for one in given for n in ast.walk(one)):
                yield from range(each.lineno, (each.end_lineno or each.lineno) + 1)


def _plain(
    tree: ast.Module, record: LedgerRecord, facts: Sequence[FactSet]
) -> Iterator[tuple[str, list[int]]]:
    """Yield facts and their lines that are told of without any word."""
    evaluating = _evaluating(tree, record)
    passed = _around(tree, [each.line for each in record.passes])
    sent = _around(tree, [each.line for each in record.losses])
    yield "words_apart", rows.words_apart(tree)
    yield "targets_drawn", _read(rows.drawn_targets, tree)
    yield "told_ahead", _read(forcing.forced_evaluations, tree)
    if any(_all_of(facts, "columns_left")):
        yield "columns_met", _read(answers.compared_as_left, tree)
    yield "against_itself", answers.scored_against_itself(tree)
    yield "swapped", answers.swapped_scores(tree)
    yield "last_batch", loops.last_batches(tree, evaluating)
    yield "batch_scores", loops.batch_scores(tree, evaluating)
    yield "carried_total", [line for read in CARRIED for line in set(_read(read, tree))]
    if holds_out(tree):
        yield "augmented", _read(items.augmented_items, tree)
        yield "augmented", _read(items.augmented_halves, tree)
    quotients = _read(counts.divided_by_others, tree)
    by_rows = [line for line, is_by_rows in quotients if is_by_rows]
    yield "means_by_rows", [*by_rows, *_read(counts.divided_by_places, tree)]
    yield "rows_by_batches", [line for line, by_rows in quotients if not by_rows]
    yield "of_all_labels", _read(calls.losses_of_all, tree)
    yield "shrunk_divergence", _read(divergences.shrunk_divergences, tree)
    yield "uneven_terms", _read(totals.uneven_terms, tree)
    yield "uneven_terms", _read(divergences.summed_divergences, tree)
    yield "softened_away", _read(totals.softened_away, tree)
    yield "state_given_out", _read(own_state.given_out, tree)
    # Of labels that are at most 1, none is a byte.
    if 0 < max(_all_of(facts, "targets_size"), default=0.0) <= 1:
        yield "peak_of_bytes", _read(units.peaks_of_bytes, tree)
    if not any(_all_of(facts, "activation_twice")):
        yield "unfit_threshold", _read(answers.unfit_thresholds, tree)
    yield (
        "turned_sign",
        [
            *_read(signs.turned_signs, tree),
            *_read(critics.helping_critic, tree),
            *_read(critics.agreeing_losses, tree),
            *_read(critics.worst_acts, tree),
        ],
    )
    yield "loose_bound", _read(signs.loose_bounds, tree)
    yield "plateau_upside_down", _read(plateaus.upside_down, tree)
    marks = ignored_classes(record.studies)
    if marks and not calls.leaves_out(tree, marks):
        yield "ignores_class", [e.line for e in facts if e.values.get("ignored_real")]
    yield "by_own_figures", _read(own_figures.scaled_by_own, tree)
    yield "numbered_anew", _read(own_figures.numbered_anew, tree)
    yield "other_units", _read(units.in_other_units, tree)
    yield "never_loaded", _read(weights.never_loaded, tree)
    yield "state_carried", _read(carried_state.carried_states, tree)
    yield "held_again", _read(shared_layers.repeated, tree)
    clips = _read(calls.clips_apart, tree)
    yield "clips_late", [line for line, is_late in clips if is_late]
    yield "clips_early", [line for line, is_late in clips if not is_late]
    yield "clips_scaled", _read(calls.clips_scaled, tree)
    yield "without_graph", _read(calls.penalties_without_graph, tree)
    yield (
        "past_the_end",
        [*_read(bootstrap.past_the_end, tree), *_read(bootstrap.summed_past_the_end, tree)],
    )
    yield "replaced_at_once", _read(averages.replaced_averages, tree)
    yield "never_followed", _read(bootstrap.never_followed, tree)
    yield "copied_rows", _read(copied_rows.copied_before_split, tree)
    yield "workers_alike", _read(seeds.workers_alike, tree)
    yield "seed_again", _read(seeds.set_each_time, tree)
    yield "seen_ahead", _read(later_rows.seen_ahead, tree)
    yield "windows_drawn", _read(later_rows.windows_drawn, tree)
    yield "ranks_classes", _read(rankings.ranked_by_classes, tree)
    yield "leaves_range", _read(narrow_numbers.out_of_range, tree)
    yield "state_dropped", _read(goes_on.states_dropped, tree)
    yield "untrained", calls.never_trained(tree)
    yield "of_all", _read(whole_statistics, tree)
    yield "folds", folds.fold_loops(tree)
    if len(record.optimizers) == 1 and len({p.network for p in record.passes if p.reached}) == 1:
        yield "folds_go_on", _read(folds.going_on, tree, [each.line for each in record.losses])
    yield "left_early", loops.left_early(tree, passed)
    yield "left_at_once", loops.left_at_once(tree, sent)
    parted, whole = _parted(record)
    losses = [each.line for each in record.losses]
    yield "left_behind", loops.left_behind(tree, [p.line for p in parted], whole, losses)
    yield "lowest", answers.lowest_chosen(tree, of_products=True)
    # Only a loss of classes has an axis of them: the highest output is then the answer.
    if [*_all_of(facts, "axis_wrong", "step")]:
        yield "lowest", answers.lowest_chosen(tree, of_products=False)
    if not any(e.kind == "evaluation" and e.values["beside"] < TEACHER for e in facts):
        yield "unasked", loops.asks_none(tree)
    widths = [each.values.get("width") for each in facts if each.kind == "answers"]
    if set(widths) == {1}:
        yield "of_one", answers.answers_chosen(tree)


def _is_late(each: FactSet) -> bool:
    return each.values["at"] >= LATE and "known_gain" in each.values


def _is_mixed(each: FactSet) -> bool:
    """Whether rows that were trained on are asked in one batch with others."""
    return each.values.get("mixed_known", 0.0) >= MIXED and each.values.get("mixed_new", 0.0) > 0


def _parted(record: LedgerRecord) -> tuple[list[Passes], list[int]]:
    """Return passes of lines that a loss reaches in part, and lines that it reaches all of."""
    trained = [p for p in record.passes if p.training and p.grad and p.reached]
    return [p for p in trained if p.aside], [p.line for p in trained if not p.aside]


def _is_asked_anew(record: LedgerRecord) -> bool:
    """Whether evaluations ask as many rows each time, and never one that was asked before."""
    several = [
        each.seen
        for each in record.passes
        if each.aside and each.stretches > 1 and each.seen and each.seen.rows > each.seen.last_rows
        # A teacher stands beside each step; a training batch that is asked about is known.
        if each.beside < TEACHER and each.seen.known < (1 - SAME) * each.seen.rows
    ]
    return bool(several) and all(each.distinct > SAME * each.rows for each in several)


def _all_of(facts: Iterable[FactSet], name: str, kind: str = "") -> Iterator[float]:
    found = (each for each in facts if kind in ("", each.kind))
    return (each.values[name] for each in found if name in each.values)


def _width(record: LedgerRecord) -> int | None:
    """How many places all rows of ids have that a network is trained on; None if they differ."""
    given = {one for each in record.passes if each.reached for one in each.given}
    widths = {_PLACES.fullmatch(one) for one in given}
    found = {int(each[1]) for each in widths if each}
    return found.pop() if len(found) == 1 else None


def _turned(tree: ast.Module, record: LedgerRecord) -> Iterator[rows.Moved]:
    """Find turns of inputs without labels where both have places, as with a picture as label."""
    shapes = (
        (study["found"].get("columns", []), study["found"].get("targets", []))
        for study in record.studies
    )
    are_pictures = any(
        len(shape) > 2
        and min(shape[-2:]) >= SMALLEST
        and shape[-2:] in [c[0][-2:] for c in columns]
        for columns, targets in shapes
        for shape in targets
    )
    return (each for each in _read(rows.turned_apart, tree) if each.both or are_pictures)


def _evaluating(tree: ast.Module, record: LedgerRecord) -> list[int]:
    """Return the first lines of loops in which a network is asked several times, not trained."""
    asked = [each.line for each in record.passes if each.aside > 1 and not each.reached]
    return [each.lineno for each in _loops(tree) if any(_is_within(each, line) for line in asked)]


def _around(tree: ast.Module, lines: Iterable[int]) -> set[int]:
    """Return the first lines of the innermost loops that have some lines in them."""
    found = _loops(tree)
    return {
        max((each.lineno for each in found if _is_within(each, line)), default=0) for line in lines
    }


def _loops(tree: ast.Module) -> list[ast.For]:
    return [each for each in ast.walk(tree) if isinstance(each, ast.For)]


def _is_within(loop: ast.For, line: int) -> bool:
    return loop.lineno <= line <= (loop.end_lineno or line)
