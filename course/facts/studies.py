"""What studied steps and batches of an evaluation tell, put together by their line.

Of several studies the fact is that which speaks least for a broken rule: what is broken once and
well another time is none that can be relied on. A study is written by a script's own process, so
each value is read with care, and what is of another kind is unknown.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from course_probe.reading.answers import MIDDLE

Study = Mapping[str, Any]
Key = tuple[int, int]
ClassAxis = tuple[int, int, int]
NOT_READ = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError)
LATE = 200
"""Steps after which a training is beyond its beginning."""
SECOND = 2
"""The number of the first batch that is studied."""
TINY = 1e-5
SCALED = 2.0
"""How far apart targets are at most that were scaled, by their standard deviation."""
IN_BATCH = 0.8
"""The share of a batch's rows that have a text of a column, where that is read."""
FEW = 4
"""Rows of which there are few enough for a shape to be so by chance."""
BY_ELEMENTS = {"MseLoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BinaryCrossEntropy"}
CASTS = {"ToCopy"}
BY_CHANCE = "BinaryCrossEntropy"
ITS_OWN_ACTIVATION = {"LogSoftmax", "BinaryCrossEntropyWithLogits", "LogSigmoid"}
ACTIVATIONS = {"Softmax", "Sigmoid"}
MEETINGS = 2
"""How often outputs meet labels in a loss of one class for each row: two, of a first and a last."""
PRECISE = 1e2
"""From how many times the size of the targets on outputs are too large to tell targets apart."""
OF_CLASSES = {"LogSoftmax", "Softmax", "Logsumexp", "NllLoss", "NllLoss2D", "Gather"}
"""Operations of losses that set classes off against each other, and pairs of rows are none."""
LAYOUT = {
    *("Index", "View", "UnsafeView", "ReshapeAlias", "Transpose", "T", "Permute", "Slice"),
    *("Select", "Squeeze", "Unsqueeze", "Clone", "ToCopy"),
}
"""Operations that change no number."""
PICKING_ROWS = {"Index", "IndexSelect", "Slice"}
ROWS_AND_CLASSES = 2
PASSING = LAYOUT | {"Cat", "Div", "Mul"}
"""Operations that change no number, but for a factor."""
CHOSEN = {"argmax", "argmin"}
"""Operations that are nothing but a choice."""
ALONG = {"argmax", "argmin", "max", "min", "topk", "softmax", "log_softmax"}
"""Operations that take one of the classes, or set them off against each other."""


LEAST = {
    *("zeros_for_signs", "inputs_finite", "inputs_largest", "rows_by_rows", "kl_log_sum"),
    *("held_at_zero", "ignored_share", "places_ahead", "padding_only"),
    *("words_hidden", "ends_left_out", "places_move", "rows_normed", "rows_figures"),
    *("lost_terms", "kl_below", "cut_off", "targets_held", "dead_ends", "labels_of_mask", "flat"),
    *("targets_finite", "of_classes", "norms_unset"),
    *("alike", "weights_turned", "axes_renamed", "answers_lost", "own_wins", "best_left"),
    *("as_deviations", "ignored_real", "weighted", "own_slopes", "pooled_by_one", "met_itself"),
    *("shifted", "half_unseen", "unseen_behind", "layers_in_one"),
}
MOST = {"labels_of_a_row", "reach", "beyond_chances", "bound"}
"""What is told of a study as it is: of several, the least or the most speaks against a rule."""


def of_steps(studies: Iterable[Study]) -> Iterator[tuple[Key, dict[str, float]]]:
    """Yield the facts of each line of a loss, by network and line."""
    studies = [*studies]
    for key, found in _by_line(studies, "step"):
        ways: dict[str, tuple[Callable[[Study], float | None], Callable[[list[float]], float]]] = {
            "target_moves": (_target_moves, max),
            "rows_apart": (_rows_apart, min),
            "axis_wrong": (_class_axis_wrong, min),
            "pairs": (_pairs, min),
            "pairs_in_sum": (_pairs_in_sum, min),
            "divided": (_divided, max),
            "scaled": (_scaled, max),
            "divided_twice": (_divided_twice, min),
            "activation_twice": (_activation_twice, min),
            "relu_before_own": (lambda each: _before_own(each, {"Relu"}, LAYOUT), min),
            "raw_to_nll": (_raw_to_nll, min),
            "to_constant": (_to_constant, lambda values: values[-1]),
            "in_reach": (_in_reach, min),
            "last_to_targets": (_outputs_to_targets, lambda values: values[-1]),
            "targets_size": (lambda each: each["spread"][1], min),
            "guess": (lambda each: each["constant"], lambda values: values[-1]),
            "bend": (_bend, max),
            "log_sum": (_log_sum, min),
            "out_of_reach": (_out_of_reach, min),
            "rows_move": (_rows_move, min),
            "later_moves": (_later_moves, min),
            "only_itself": (_only_itself, min),
            "own_unseen": (_own_unseen, lambda values: min(values) if len(values) > 1 else 0.0),
            "dead_layers": (lambda each: each["dead_layers"], min),
            "of_one": (lambda each: each["softmax_of_one"], min),
            "padding_moves": (lambda each: _early(each, "padding_moves"), min),
            "padding_in_loss": (lambda each: _early(each, "padding_in_loss"), min),
            "unmasked": (lambda each: _early(each, "unmasked"), min),
            "padded": (_padded, max),
            "inputs": (lambda each: len(each["columns"]), max),
            "inputs_unread": (_unread, min),
            "inputs_read": (_read, max),
            "lengths_unread": (_lengths_unread, min),
            "dropped": (_dropped, min),
            "most_dropped": (lambda each: each["modes"]["most"], min),
            "targets_beyond": (_targets_beyond, min),
            "slopes": (lambda each: each.get("reach") is not None, max),
            "known_gain": (_known_gain, lambda values: values[-1]),
            **{name: (itemgetter(name), min) for name in LEAST},
            **{name: (itemgetter(name), max) for name in MOST},
        }
        facts = {"studies": float(len(found))}
        for name, (ask, of) in ways.items():
            values = _all_asked(ask, found)
            if values:
                facts[name] = float(of(values))
        if not _all_end(each for each in studies if _count(each, "network") == key[0]):
            facts.pop("ends_left_out", None)
        if own_unseen := facts.pop("own_unseen", 0.0):
            facts["places_ahead"] += own_unseen
        classes = [each["only_class"] for each in found if isinstance(each.get("only_class"), int)]
        if len(classes) > 1 and len(classes) == len(found):
            facts["only_classes"] = float(len(set(classes)))
            rows = sum(_counted(found).values())
            if len(set(classes)) > 1 and rows:
                # The first row of each batch may have any class; the others are to have the same.
                facts["only_chance"] = len(set(classes)) ** -float(rows - len(found))
        cut = [_numbers(each, "cut") for each in found]
        # What gets no gradient, and is changed all the same, is meant to be without.
        if all(each == cut[0] for each in cut):
            facts["cut"] = float(len(cut[0]))
        facts |= _of_length(found)
        # Where targets are classes, no output is too small for them.
        facts.setdefault("in_reach", 1.0)
        facts.setdefault("dead_layers", 0.0)
        facts.setdefault("of_classes", 0.0)
        facts["lengths_unread"] = facts.get("padded", 0.0) and facts.get("lengths_unread", 0.0)
        figures = ("rows_normed", "rows_figures")
        facts["rows_scaled"] = sum(facts.get(name, 0.0) for name in figures)
        facts["at"] = float(max(_count(each, "at") for each in found))
        yield key, facts


def _all_end(studies: Iterable[Study]) -> bool:
    """Whether all texts may have an end of their own, beside the padding that looks like it.

    In batches of several widths, the longest text has one such place each time.
    """
    found = set[tuple[int, int]]()
    for each in studies:
        with suppress(*NOT_READ):
            width, least = each["found"]["filled_up"]
            found.add((width, least))
    widths = {width for width, _least in found}
    return not found or (len(widths) > 1 and {least for _width, least in found} == {1})


def others_move(studies: Iterable[Study]) -> dict[Key, dict[int, float]]:
    """How far other rows move in networks that were called before the last one of each line."""
    moves: dict[Key, dict[int, float]] = {}
    for key, found in _by_line(studies, "step"):
        of_line = moves.setdefault(key, {})
        for each in found:
            try:
                for network, moved in each["others"]:
                    of_line[network] = min(float(moved), of_line.get(network, math.inf))
            except NOT_READ:
                continue
    return moves


@dataclass(frozen=True)
class UnreadColumn:
    """A column of texts that is in no row of a batch, beside those that are in most of them.

    By the words of all of them a label is `told` in this share of rows, in that one without it.
    """

    line: int
    name: str
    given: tuple[str, ...]
    told: float
    without: float


def unread_columns(studies: Iterable[Study]) -> Iterator[UnreadColumn]:
    """Yield the columns of texts of each line's last study that did not reach the network."""
    for (_network, line), found in _by_line(studies, "step"):
        try:
            columns = [each for each in found[-1]["texts"] if each.get("found") is not None]
            given = [str(each["name"]) for each in columns if each["found"] > IN_BATCH]
            for each in columns if given else ():
                if not each["found"] and "told" in each:
                    without, told = map(float, each["told"])
                    yield UnreadColumn(line, str(each["name"]), tuple(given), told, without)
        except NOT_READ:
            continue


def changed_rows(studies: Iterable[Study]) -> Iterator[tuple[str, str, int]]:
    """Yield the classes of datasets that change what they keep, under which name, of how many."""
    for _key, found in _by_line(studies, "step"):
        for each in found:
            with suppress(*NOT_READ):
                for kind, name, count in each["changed"]:
                    yield str(kind), str(name), int(count)


def longer_share(studies: Iterable[Study], words: int) -> float | None:
    """Return the share of texts with more words than that, all columns read taken as one."""
    for _key, found in _by_line(studies, "step"):
        try:
            columns = found[-1]["texts"]
            read = [each for each in columns if each.get("found")] or columns[:1]
            counts = [
                sum(map(float, row)) for row in zip(*(e["words"] for e in read), strict=False)
            ]
            return sum(count > words for count in counts) / len(counts)
        except (*NOT_READ, ZeroDivisionError):
            continue
    return None


def _of_length(found: Iterable[Study]) -> dict[str, float]:
    """How long the optimizer's steps are, by the loss of their own batch behind them.

    `overshoot` is by how much a step raises it at most, in losses of a constant answer, from
    `step_before` to `step_after`; one of a hundredth of its length leads to `step_short`.
    `own_gain` is by how much of it a step lowers it at most, and `best_scale` how many times its
    length would have done best, in the least. The step before the second batch has led to the loss
    `second`, of which the one of a constant answer is `second_constant`.
    """
    facts: dict[str, float] = {}
    for each in found:
        try:
            along = {float(scale): float(loss) for scale, loss in each["along"]}
            before, after, short = along[0.0], along[1.0], along[0.01]
            best, constant = min(along, key=lambda scale: along[scale]), float(each["constant"])
        except NOT_READ:
            continue
        if each["at"] == SECOND and constant > 0:
            facts |= {"second": before, "second_constant": constant}
        facts["best_scale"] = min(best, facts.get("best_scale", best))
        if before:
            gain = (before - after) / abs(before)
            facts["own_gain"] = max(gain, facts.get("own_gain", gain))
        if constant > 0 and (after - before) / constant > facts.get("overshoot", -math.inf):
            facts |= {"overshoot": (after - before) / constant, "step_before": before}
            facts |= {"step_after": after, "step_short": short}
    return facts


def of_evaluations(
    studies: Iterable[Study], copies: Mapping[int, int]
) -> Iterator[tuple[Key, dict[str, float]]]:
    """Yield the facts of each line of an evaluation, by network and line.

    Of copies, as of an average of the weights, the network that they are of was trained.
    """
    known = list(studies)
    axes = dict(_class_axes(known))
    classes: dict[int, set[int]] = {}
    labels: dict[int, dict[int, int]] = {}
    steps: dict[int, list[Study]] = {}
    for (network, _line), found in _by_line(known, "step"):
        labels[network] = _counted(found)
        classes.setdefault(network, set()).update(_classes(found))
        steps.setdefault(network, []).extend(found)
    # Who asks for known classes as well shows with others that they are not known.
    untrained: dict[int, list[float]] = {}
    for (network, _line), found in _by_line(known, "evaluation"):
        share = _untrained_share(found[-1], classes.get(copies.get(network, network), set()))
        untrained.setdefault(network, []).extend([] if share is None else [share])
    untrained = {network: shares for network, shares in untrained.items() if shares}
    for key, found in _by_line(known, "evaluation"):
        facts: dict[str, float] = {}
        trained = copies.get(key[0], key[0])
        wrong = [_chosen_wrong(each, axes.get(trained)) for each in found]
        if any(each is not None for each in wrong):
            facts["axis_wrong"] = min(each for each in wrong if each is not None)
        lowest = _all_asked(_chosen_lowest, found)
        if lowest and trained in axes:
            facts["lowest"] = min(lowest)
        of_outputs = (("width", _width, max), ("of_one", _chosen_of_one, min))
        for name, ask, of in (*of_outputs, ("chosen", _chosen, max)):
            values = _all_asked(ask, found)
            if len(values) == len(found):
                facts[name] = of(values)
        finite = [each["finite"] for each in found if isinstance(each.get("finite"), bool)]
        if finite:
            facts["not_finite"] = float(not any(finite))
        facts |= _inputs_apart(found, steps.get(trained, ()))
        last = found[-1]
        facts["at"] = float(_count(last, "at"))
        ends = dict(_by_line(known, "end")).get(key, [])
        facts |= _of_labels([last, *ends], labels.get(trained, {}))
        marks = ignored_classes(each for each in known if _count(each, "network") == trained)
        shares = _all_asked(partial(_share_of, marks), found)
        if shares:
            facts["ignored_counted"] = min(shares)
        if key[0] in untrained:
            facts["labels_untrained"] = min(untrained[key[0]])
        facts["has_end"] = float(bool(ends))
        facts |= _best_gains([last, *ends])
        unfit = partial(_limits_unfit, {*_all_ops(steps.get(key[0], ()))})
        all_found = [*found, *ends]
        for name, ask, asked in (
            ("limits_unfit", unfit, found),
            ("compared_spread", _spread_out, all_found),
            ("columns_left", lambda each: each["columns_left"], found),
        ):
            values = _all_asked(ask, asked)
            facts |= {name: min(values)} if values else {}
        yield key, facts


def ignored_classes(studies: Iterable[Study]) -> set[int]:
    """Return the classes of outputs that losses leave out."""
    found = (each.get("ignored_class") for _key, all_ in _by_line(studies, "step") for each in all_)
    return {each for each in found if isinstance(each, int)}


def _share_of(classes: Set[int], each: Study) -> float | None:
    """Return which share of the labels that answers meet is of some classes."""
    counts = {int(one): int(count) for one, count in each["counted"]}
    rows = sum(counts.values())
    return sum(counts.get(one, 0) for one in classes) / rows if rows else None


def _counted(found: Iterable[Study]) -> dict[int, int]:
    """How many rows of these batches have which class."""
    counts: dict[int, int] = {}
    for each in found:
        try:
            for one, count in each["labels"]:
                counts[int(one)] = counts.get(int(one), 0) + int(count)
        except NOT_READ:
            continue
    return counts


def _classes(found: Iterable[Study]) -> Iterator[int]:
    """Yield the classes of all rows of a training, where all of them are known."""
    for each in found:
        with suppress(*NOT_READ):
            yield from map(int, each["classes"])


def _untrained_share(found: Study, trained: Set[int]) -> float | None:
    """Return the share of an evaluation's rows with a class that no row of a training has."""
    counts = _counted([found])
    rows = sum(counts.values())
    if len(trained) < 2 or not rows:
        return None
    return sum(n for one, n in counts.items() if one not in trained) / rows


def _of_labels(found: list[Study], trained: Mapping[int, int]) -> dict[str, float]:
    """Make the facts of the labels of an evaluation's batches, beside those of the training.

    `label_alone` is how often another one could have shown, if all rows have the same, and by
    which chance so: with that label's share of the training, once a row.
    """
    counts = _counted(found)
    rows, all_trained = sum(counts.values()), sum(trained.values())
    if not rows or any("labels" not in each for each in found):
        return {}
    facts = {"label_rows": float(rows), "labels": float(len(counts))}
    if len(counts) == 1 and len(trained) > 1:
        (one,) = counts
        facts["label_alone"] = float(rows * (len(trained) - 1))
        facts["label_chance"] = (trained.get(one, 0) / all_trained) ** rows
    if len(trained) == 1 < len(counts) and trained.keys() <= counts.keys():
        (one,) = trained
        facts |= {"trained_rows": float(all_trained)}
        facts["trained_chance"] = (counts[one] / rows) ** all_trained
    for name, of in (("right", max), ("renumbered", min)):
        values = [each[name] for each in found if isinstance(each.get(name), float)]
        if len(values) == len(found):
            facts[name] = of(values)
    return facts


def drop_in_training(studies: Iterable[Study]) -> dict[int, float]:
    """Return of each network whether it drops numbers in training mode, and only there."""
    found: dict[int, float] = {}
    for (network, _line), each in _by_line(studies, "step"):
        try:
            modes = [one["modes"] for one in each]
            drops = all(one["drops"] > 0 == one["dropped"] for one in modes)
        except NOT_READ:
            continue
        found[network] = min(found.get(network, 1.0), float(drops))
    return found


def counted_rows(studies: Iterable[Study], network: int) -> set[int]:
    """Return how many rows the losses of a network count, each by its mean alone; else 0."""
    found = set[int]()
    for (of_network, _line), each in _by_line(studies, "step"):
        for one in each if of_network == network else ():
            counts = {0}
            with suppress(*NOT_READ):
                loss, ignored = one["graph"][0], one.get("ignored_share", 0.0)
                if loss["shape"] == [] and loss["op"].endswith("Loss") and not ignored:
                    counts = {shape[0] for shape in (*one["targets"], *one["met_by"])}
            found |= counts
    return found


def is_scored_in_part(studies: Iterable[Study], networks: Set[int]) -> bool:
    """Return whether the losses of some networks leave out other numbers of each row."""
    steps = [(of, found) for (of, _line), found in _by_line(studies, "step") if of in networks]
    return bool(steps) and all(one.get("scored_in_part") for _of, found in steps for one in found)


def only_answered(studies: Iterable[Study], network: int, line: int) -> bool:
    """Return whether nothing is done with a network's answers at a line, but that they are kept."""
    asked = ("chosen", "compared", "losses", "counted", "limits_of", "columns_left")
    found = [
        one
        for kind in ("evaluation", "end")
        for key, all_ in _by_line(studies, kind)
        for one in (all_ if key == (network, line) else ())
    ]
    return bool(found) and not any(one.get(name, True) for one in found for name in asked)


def _by_line(studies: Iterable[Study], kind: str) -> Iterator[tuple[Key, list[Study]]]:
    """Yield the findings at each line, with the number of the backward before it as `at`."""
    lines: dict[Key, list[Study]] = {}
    for each in studies:
        found = each.get("found")
        if each.get("kind") == kind and isinstance(found, Mapping):
            key = (_count(each, "network"), _count(each, "line"))
            lines.setdefault(key, []).append({**found, "at": _count(each, "at")})
    yield from lines.items()


def _count(each: Study, name: str) -> int:
    value = each.get(name)
    return value if isinstance(value, int) else 0


def _all_asked(ask: Callable[[Study], float | None], found: Iterable[Study]) -> list[float]:
    """Return the known values of some studies."""
    values: list[float] = []
    for each in found:
        with suppress(*NOT_READ):
            value = ask(each)
            values += [] if value is None else [float(value)]
    return values


def _numbers(each: Study, name: str) -> list[float]:
    value = each.get(name)
    return [one for one in value if isinstance(one, float)] if isinstance(value, list) else []


def _sizes(found: Iterable[Study]) -> list[tuple[float, int]]:
    """How large the inputs of these batches are, where they are measures and not all 0.

    With each, how many inputs there are.
    """
    sizes = []
    for each in found:
        with suppress(*NOT_READ):
            sizes.append((float(each["inputs_largest"]), int(each["inputs_measured"])))
    return [each for each in sizes if each[0]]


def _inputs_apart(asked: Sequence[Study], trained: Sequence[Study]) -> dict[str, float]:
    """By what factors the inputs of evaluations and of a training differ: in size, and in spread.

    What is given beside them in training alone, as boxes or masks, has sizes of its own.
    """
    size = [(a, b) for a, n in _sizes(asked) for b, m in _sizes(trained) if n == m]
    one, other = (_all_asked(itemgetter("inputs_spread"), each) for each in (asked, trained))
    pairs = {"inputs_apart": size, "inputs_spread": [*itertools.product(one, other)]}
    factors = {
        name: [max(one / two, two / one) for one, two in known if one and two]
        for name, known in pairs.items()
    }
    return {name: min(each) for name, each in factors.items() if each}


def _target_moves(each: Study) -> float | None:
    """How far a loss moves with the labels of other rows, unless all have the same."""
    labels = each.get("labels")
    if labels and len(labels) == 1:
        return None
    if each.get("spread") and (_outputs_to_targets(each) or 0.0) > PRECISE:
        return None
    return max(map(float, each["target_moves"]), default=None)


def _are_rows_compared(each: Study) -> bool:
    """Whether each row meets each other one, as by a contrastive loss."""
    rows = each["targets"][0][0]
    return [rows, rows] in each["met_by"]


def _rows_apart(each: Study) -> float | None:
    if _are_rows_compared(each):
        return None
    share, others = each["rows_apart"]
    # One other row is that of mixed up examples.
    return float(share) if others > 1 else 0.0


def _class_axis_wrong(each: Study) -> float | None:
    if each.get("set_off_apart") or _is_softmax_of_rows(each["graph"]):
        return 1.0
    found, fitting = set(each["class_axis"]["found"]), set(each["class_axis"]["fitting"])
    ops = {one["op"] for one in each["graph"]}
    # Such a loss looks for the places of its labels by itself.
    if not found or OF_CLASSES.isdisjoint(ops) or "CtcLoss" in ops:
        return None
    if len(each["met_by"]) > MEETINGS:
        # A sequence that is gone through place by place, as all its paths are added up.
        return None
    return float(len(found) > 1 or not found <= fitting)


def _is_softmax_of_rows(graph: list[Study]) -> bool:
    """Whether rows, and not classes, are set off against each other before a loss of classes."""
    return any(
        one["op"] == "LogSoftmax"
        and len(one.get("shape", ())) == ROWS_AND_CLASSES
        and one.get("dim") in (0, -2)
        and "NllLoss" in _next_ops(graph, one, PICKING_ROWS)
        for one in graph
    )


def _rows_move(each: Study) -> float | None:
    """By how much other rows move an answer; not where the loss takes a single number of all."""
    taken = (one for one in each["graph"] if one["op"] == "Select" and one.get("dim") == 0)
    return None if any(not one["shape"] for one in taken) else each["rows_move_evaluation"]


def _out_of_reach(each: Study) -> float | None:
    """How much of what better answers could gain outputs of the last layer can't."""
    # Of directions, which have no size, none goes beyond a bound.
    if _are_rows_compared(each) or "LinalgVectorNorm" in _ops(each):
        return None
    (by_outputs, by_any), constant = each["lowest"], each["constant"]
    # What has no bound for just any numbers, as an overlap, is lowest at 0 for those it takes.
    by_any = max(by_any, min(by_outputs, 0.0))
    return (by_outputs - by_any) / (constant - by_any) if constant > by_any else None


def _pairs(each: Study) -> float | None:
    """Whether a loss takes all pairs of rows: its outputs are so many, or are spread over them."""
    if _is_expanded(each):
        return 1.0
    met, targets = each.get("met_by") or [], each.get("targets") or []
    if targets and targets[0][0] < FEW:
        return None
    # Of classes, rows are told from each other by a contrastive loss.
    is_of_one = bool(each.get("spread")) and len(targets) == len(met) == 1
    return float(is_of_one and _size(met[0]) == _size(targets[0]) ** 2)


def _ops(each: Study) -> list[str]:
    return [str(one["op"]) for one in _graph(each)]


def _graph(each: Study) -> list[Any]:
    """Return the operations of a loss; none where they are not known."""
    graph = each.get("graph")
    return graph if isinstance(graph, list) else []


def _all_ops(found: Iterable[Study]) -> Iterator[str]:
    for each in found:
        with suppress(*NOT_READ):
            yield from _ops(each)


def _is_expanded(each: Study) -> bool:
    """Whether a loss by elements had to spread its outputs over all pairs of rows."""
    return bool(_spread_terms(each))


def _pairs_in_sum(each: Study) -> float:
    """Whether it is one of several losses that are added up, whose sum falls by the others."""
    above = {place for term in _spread_terms(each) for place in _above(each["graph"], term)}
    return float(any(each["graph"][place]["op"] == "Add" for place in above))


def _spread_terms(each: Study) -> list[int]:
    """Return the places of losses by elements whose outputs are spread over all pairs of rows."""
    graph = _graph(each)
    found = []
    for place, one in enumerate(graph):
        match one:
            case {"op": "Expand", "shape": [int(rows), columns]} if rows == columns >= FEW:
                above = [at for at in _above(graph, place) if graph[at]["op"] not in CASTS]
                found += [at for at in above[:1] if graph[at]["op"] in BY_ELEMENTS]
    return found


def _above(graph: Sequence[Any], place: int) -> list[int]:
    """Return the places of the operations between one and the loss, those next to it first."""
    found, waiting = list[int](), [place]
    while waiting:
        at = waiting.pop(0)
        new = [e for e in graph[at].get("before", range(at)[-1:]) if e not in found]
        found += new
        waiting += new
    return found


def _divided(each: Study) -> float:
    """Whether the last that is done with a loss is to take a part of it."""
    return float(_ops(each)[0] in {"Div", "Mul"})


def _scaled(each: Study) -> float:
    """Whether a loss is no mean over its batch, or one that is multiplied or divided by anything.

    Of sums of rows, those of several batches are the sum of all their rows.
    """
    numbers = [one for one in each["graph"] if one.get("shape") == []]
    is_mean = any(one["op"] == "Mean" or one.get("reduction") == 1 for one in numbers)
    return float(not is_mean or any(one["op"] in {"Div", "Mul"} for one in numbers))


def _divided_twice(each: Study) -> float:
    """Return the whole number by which a loss is divided more than once, last of all; else 0."""
    found = _divisors(each)
    return float(max((by for by in found if found.count(by) > 1), default=0))


def are_divided_by(studies: Iterable[Study], number: int) -> bool:
    """Whether all losses that were studied are divided by this number, last of all."""
    steps = [each["found"] for each in studies if each["kind"] == "step"]
    return bool(steps) and all(number in _divisors(each) for each in steps)


def _divisors(each: Study) -> list[int]:
    """Return the whole numbers by which a loss is divided, last of all."""
    found: list[int] = []
    for one in _graph(each):
        factor = one.get("factor")
        if one["op"] not in {"Div", "Mul"} or not factor:
            break
        by = abs(float(factor)) if one["op"] == "Div" else 1 / abs(float(factor))
        found += [round(by)] if by > 1 and math.isclose(by, round(by), rel_tol=1e-6) else []
    return found


def _activation_twice(each: Study) -> float:
    """Whether such a loss is given chances, by the last operations before it, or as they are."""
    return each.get("chances_given") or _before_own(each, ACTIVATIONS, PASSING)


def _before_own(each: Study, kinds: Set[str], passing: Set[str]) -> float:
    """Whether such activations go into a loss that computes probabilities itself."""
    graph = each["graph"]
    return float(
        any(
            str(one["op"]) in kinds
            and not ITS_OWN_ACTIVATION.isdisjoint(_next_ops(graph, one, passing))
            for one in graph
        )
    )


def _later_moves(each: Study) -> float | None:
    """How far earlier outputs move with a later input, where labels are the inputs further on."""
    return each["later_moves"] if each["places_ahead"] > 0 else None


def _only_itself(each: Study) -> float | None:
    """Whether a network that sees nothing later is to give the very input that each place has.

    One that is given its labels may move them on by a place itself, and sees only earlier ones.
    """
    sees_itself = each.get("own_moves", 1.0) > TINY
    return float(each["places_ahead"] == 0 and each["later_moves"] < TINY and sees_itself)


def _own_unseen(each: Study) -> float | None:
    """Whether outputs see the inputs of earlier places and not their own: they are moved already.

    None where the labels are not the inputs further on.
    """
    is_unseen = each["own_moves"] < TINY and each["later_moves"] < TINY
    return float(is_unseen) if each["places_ahead"] > 0 else None


def _bend(each: Study) -> float | None:
    """How a loss bends; not one of alignments, which has no lowest value without logarithms."""
    return None if each.get("ctc_log_sum", 0.0) > TINY else max(map(float, each["curvature"]))


def _log_sum(each: Study) -> float | None:
    """How far what a loss of logarithms gets is from such, unless it takes them itself."""
    if each.get("ctc_log_sum"):
        return float(each["ctc_log_sum"])
    return None if ITS_OWN_ACTIVATION.intersection(_ops(each)) else each["log_sum"]


def _targets_beyond(each: Study) -> float | None:
    """Which share of the targets no output can come to, by the activation that gives it last."""
    if "targets_beyond" in each:
        return float(each["targets_beyond"])
    if each.get("targets_apart") is None:
        return None
    below, negative, above = map(float, each["targets_apart"])
    shares = {"Relu": negative, "Sigmoid": negative + above, "Tanh": below + above}
    graph = each["graph"]
    # Next to a loss that compares numbers, nothing else comes between.
    last = [share for op, share in shares.items() if _is_last(graph, op)]
    return max(last, default=0.0)


def _is_last(graph: list[Study], op: str) -> bool:
    return any(
        one["op"] == op and not BY_ELEMENTS.isdisjoint(_next_ops(graph, one, LAYOUT))
        for one in graph
    )


def _next_ops(graph: list[Study], one: Study, passing: Set[str]) -> set[str]:
    """Find the operations that take an operation's result, behind those that are passed over."""
    found, waiting, seen = set[str](), [*one.get("before", ())], set[int]()
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        if str(graph[at]["op"]) in passing:
            waiting += graph[at].get("before", ())
        else:
            found.add(str(graph[at]["op"]))
    return found


def _raw_to_nll(each: Study) -> float:
    """Whether a loss of logarithms gets the outputs of a layer, or probabilities.

    Of one among several in a sum only probabilities are known.
    """
    ops, graph = _ops(each), _graph(each)
    for one in graph:
        following = _next_ops(graph, one, LAYOUT) if one["op"] in ACTIVATIONS else ()
        if any(op.startswith("NllLoss") for op in following):
            return 1.0
    if not ops or not ops[0].startswith("NllLoss"):
        return 0.0
    rest = [op for op in ops[1:] if op not in PASSING]
    return float(not rest or rest[0] in {*ACTIVATIONS, "Relu", "Tanh"})


def _to_constant(each: Study) -> float | None:
    """Return the loss relative to that of the best constant answer; of late studies only."""
    if each["at"] < LATE or not each["constant"] > 0:
        return None
    return float(each["known"][0] / each["constant"])


def _outputs_to_targets(each: Study) -> float | None:
    outputs, targets = each["spread"]
    return outputs / targets if targets else None


def _in_reach(each: Study) -> float | None:
    """Return the outputs' spread to the targets'; 1 where targets are close, as scaled ones."""
    return 1.0 if each["spread"][1] <= SCALED else _outputs_to_targets(each)


def _early(each: Study, name: str) -> float | None:
    """Return a part of the gradients; none is left of what is learned by then."""
    return float(each[name]) if each["at"] < LATE else None


def _padded(each: Study) -> float | None:
    """Whether any row is filled up; None where that could not be seen."""
    is_asked = "inputs_finite" in each and "padding: " not in " ".join(map(str, each["limits"]))
    return float("padding_by_mask" in each) if is_asked else None


def _read(each: Study) -> int:
    return sum(moved > 0 for _shape, moved, _tells in each["columns"])


def _unread(each: Study) -> int:
    return sum(moved == 0 for _shape, moved, _tells in each["columns"])


def _lengths_unread(each: Study) -> int:
    """Count what could tell the padding, lengths or a mask, and changes nothing."""
    return sum(moved == 0 and tells for _shape, moved, tells in each["columns"])


def _dropped(each: Study) -> float:
    modes = each["modes"]
    return float(modes["dropped"]) if modes["evaluation"] > 0 else 0.0


def _known_gain(each: Study) -> float | None:
    """How much lower the loss is with a row's own target than with another row's."""
    own, others = each["known"]
    return (others - own) / abs(others) if others else None


def _class_axes(studies: Iterable[Study]) -> Iterator[tuple[int, ClassAxis]]:
    """Along which axis, from the last, each network's loss finds its classes.

    With the number of axes, 0 where the loss takes places as rows, and that of the classes.
    """
    for (network, _line), found in _by_line(studies, "step"):
        for each in found:
            try:
                # Of several outputs, it would not be known which one has this axis.
                (shape,) = each["met_by"]
                if each.get("class_axis") is None and _is_flattened(each, shape):
                    yield network, (-1, 0, shape[1])
                    continue
                (axis,) = each["class_axis"]["found"]
                if not axis < len(shape):
                    # The outputs have more axes than what is left of them in the loss.
                    if len(shape) == 2 and axis == max(each["class_axis"]["fitting"]):
                        yield network, (-1, 0, shape[1])
                    continue
            except NOT_READ:
                continue
            yield network, (axis - len(shape), len(shape), shape[axis])


def _is_flattened(each: Study, shape: Sequence[int]) -> bool:
    """Whether a loss takes the classes of all places of all rows as so many rows."""
    places = each["targets"][0]
    is_of_classes = any(one["op"] == "NllLoss" for one in each["graph"])
    return is_of_classes and len(shape) == 2 and len(places) > 1 and shape[0] == math.prod(places)


def _chosen_wrong(each: Study, axis: ClassAxis | None) -> float | None:
    """Whether answers are chosen along another axis than that of the classes of the loss."""
    if axis is None:
        return None
    try:
        outputs = [list(shape) for shape in each["outputs"]]
        chosen = [
            (one["axis"] - len(one["shape"]), one["op"].endswith("softmax"))
            for one in each["chosen"]
            if isinstance(one["axis"], int)
            if one["op"] in ALONG and one["shape"] in outputs
            # Places may be rows of the loss. What is chosen of them is the strongest, and no class.
            if axis[1] == len(one["shape"])
            or (not axis[1] and one["op"] in CHOSEN and one["shape"][-1] == axis[2])
        ]
    except NOT_READ:
        return None
    # Neither what sets them off nor what takes one of them.
    kinds = [[at for at, is_soft in chosen if is_soft == kind] for kind in (True, False)]
    return float(any(k and axis[0] not in k for k in kinds)) if chosen else None


def _best_gains(found: Iterable[Study]) -> dict[str, float]:
    """How much better the answers of one evaluation fit their labels, in the batch that is best."""
    facts: dict[str, float] = {}
    for each in found:
        gains = {name: value for name, value in _gains(each).items() if value is not None}
        if gains.get("agree_in_chance", -math.inf) >= facts.get("agree_in_chance", -math.inf):
            facts |= gains
        if "loss_gain" in gains:
            facts["loss_gain"] = max(gains["loss_gain"], facts.get("loss_gain", -math.inf))
    return facts


def _gains(each: Study) -> dict[str, float | None]:
    """How much better answers fit their own rows' labels than those of other rows."""
    found: dict[str, float | None] = {}
    try:
        for one in each["compared"]:
            if "agree" in one:
                own, others = map(float, one["agree"])
                rows = _size(one["targets"])
                chance = (others * (1 - others) / rows) ** 0.5
                found |= {"agree": own, "agree_others": others, "agree_rows": float(rows)}
                found["agree_in_chance"] = (own - others) / chance if chance else None
                break
        for own, others in each.get("losses", ()):
            found["loss_gain"] = (others - own) / abs(others) if others else None
            break
    except NOT_READ:
        return {}
    return found


def _chosen_lowest(each: Study) -> float | None:
    """Whether the answers are where the outputs are lowest."""
    outputs = [list(shape) for shape in each["outputs"]]
    ops = [one["op"] for one in each["chosen"] if one["shape"] in outputs]
    taken = [op for op in ops if op in {"argmax", "argmin"}]
    return float(all(op == "argmin" for op in taken)) if taken else None


def _width(each: Study) -> float | None:
    """How many numbers an answer has at most; a loss that is given beside has no rows."""
    widths = [shape[-1] for shape in each["outputs"] if len(shape) == 2]
    return (
        max(widths) if widths and all(len(shape) in (0, 2) for shape in each["outputs"]) else None
    )


def _chosen_of_one(each: Study) -> float:
    """How often one number is set off against itself."""
    chosen = [one for one in each["chosen"] if one["axis"] is not None]
    alone = [one["op"] for one in chosen if one["shape"][one["axis"]] == 1]
    return float(sum(op in {"softmax", "log_softmax"} for op in alone))


def _chosen(each: Study) -> float:
    """How often an answer is chosen of the outputs."""
    outputs = [list(shape) for shape in each["outputs"]]
    return float(sum(one["op"] in ALONG and one["shape"] in outputs for one in each["chosen"]))


def _spread_out(each: Study) -> float | None:
    """How many times more pairs are compared than there are answers."""
    found = []
    for one in each["compared"]:
        sizes = [_size(one[name]) for name in ("answers", "targets", "made")]
        if min(sizes) > 1:
            found.append(sizes[2] / max(sizes[:2]))
    return min(found, default=None)


def _limits_unfit(ops: Set[str], each: Study) -> float | None:
    """Whether all limits of answers are those of another scale than the loss has for the outputs.

    Chances are never below 0; what a loss makes chances of is half a chance at 0.
    """
    are_raw, are_chances = BY_CHANCE + "WithLogits" in ops, BY_CHANCE in ops
    found = [
        (are_chances and limit == 0 and low > 0 and high < 1)
        or (are_raw and is_own and MIDDLE[0] <= limit <= MIDDLE[1] and not 0 <= low <= high <= 1)
        for limit, low, high, is_own in each["limits_of"]
    ]
    return float(all(found)) if found and are_raw != are_chances else None


def _size(shape: Iterable[int]) -> int:
    count = 1
    for each in shape:
        count *= each
    return count
