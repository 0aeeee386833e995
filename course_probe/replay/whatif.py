"""What a network would give if one thing of its batch were otherwise.

All passes are made in a child of the process, with chance set back before each, so that nothing but
the one thing differs. Which axis is that of the examples, what is padding, and what comes later, is
told by shapes and values, never by a name.
"""

import itertools
import math
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from course_probe.replay.questions import by_places, table_of
from course_probe.replay.replay import OutOfTime
from course_probe.replay.tape import Operation, OperationTape, Slot, laid_out, replaced, tensors

SECONDS = 1.5
"""How long all passes of one batch may take on the processor; by the clock, up to twice as long."""
ROUNDING = 1e-6
"""How far a correlation may be from 1 where numbers were only moved and scaled."""
SURE = 0.95
"""The share of places at which two texts agree that are the same, one place on."""
FEWEST = 8
"""Places by which that is told."""
MOSTLY = 0.75
"""The share of places at which a text is as it was where some of its words are masked."""
FARTHEST = 3
"""Places that a target may be ahead."""
TINY = 1e-12
EXACT = 1e-4
"""Up to which move numbers are the same, but for rounding."""
TAKEN = {
    *("mean", "std", "var", "std_mean", "var_mean", "sum", "norm", "vector_norm"),
    *("max", "min", "amax", "amin", "logsumexp", "quantile", "median"),
}
"""Operations that make one number of several."""


@dataclass(frozen=True)
class Padding:
    """Which places of the ids are filled up: True where they are."""

    ids: Any
    places: Any
    by_mask: bool


class WhatIf:
    """One kept batch of a network, passed again with one thing changed."""

    def __init__(self, network: Any, args: Any, kwargs: Any) -> None:
        self.network = network
        self._given = (tuple(args), dict(kwargs))
        self.inputs = _distinct(laid_out(self._given))
        self._end, self._latest = time.thread_time() + SECONDS, time.monotonic() + 2 * SECONDS
        self._longest = 0.0
        self._random = RandomState()
        self._modes = {module: module.training for module in network.modules()}

    def give(self, changes: dict[int, Any], *, training: bool | None = False, seed: int = 0) -> Any:
        """Compute the outputs as numbers, with other tensors in place of some, told by `id`."""
        return [
            each.detach().double()
            for each in tensors(self.passed(changes, training=training, seed=seed))
            if each.is_floating_point() and each.numel()
        ]

    def passed(self, changes: dict[int, Any], *, training: bool | None, seed: int = 0) -> Any:
        """Run the network on them; where `training` is None, in the mode that it was in."""
        torch = sys.modules["torch"]
        begun = time.thread_time()
        if begun + self._longest > self._end or time.monotonic() > self._latest:
            raise OutOfTime
        for module, mode in self._modes.items():
            module.training = mode if training is None else training and mode
        args, kwargs = replaced(self._given, lambda one: changes.get(id(one), one).detach())
        self._random.set(seed)
        try:
            with torch.no_grad():
                found = self.network(*args, **kwargs)
        except RuntimeError:
            # Some networks look at a slope within.
            self._random.set(seed)
            with torch.enable_grad():
                found = self.network(*args, **kwargs)
        self._longest = max(self._longest, time.thread_time() - begun)
        return found

    def heard(
        self, changes: dict[int, Any] | None = None, *, training: bool = False
    ) -> tuple[OperationTape, list[Any]]:
        """Return the operations of a pass, and its outputs."""
        tape = OperationTape(_Quiet())
        tape.open()
        outputs = self.give(changes or {}, training=training)
        tape.close()
        return tape, outputs

    # Rows.

    def rows_move(self, axis: int, *, training: bool) -> float | None:
        """Measure how far other rows move, of the row's own move, where one row is replaced."""
        size = self.size(axis)
        if size is None or size < 3:
            return None
        before = self.give({}, training=training)
        if _farthest(before, self.give({}, training=training)) > EXACT:
            # What the network keeps of one pass moves the answers of the next one.
            return None
        found = []
        for row in (0, size - 1):
            other = (row + size // 2) % size
            after = self.give(
                {id(one): _with_row(one, axis, row, other) for one in self._along(axis, size)},
                training=training,
            )
            for one, two in zip(before, after, strict=True):
                at = _axis_of(one, axis, size)
                if at is None or one.shape != two.shape:
                    continue
                moves = (two - one).movedim(at, 0).reshape(size, -1).abs().amax(1)
                own = float(moves[row])
                moves[row] = 0
                # Of one that has become what it was before nothing is known.
                if own > TINY:
                    found.append(float(moves.max()) / own)
        return max(found, default=None)

    def places_move(self, axis: int) -> tuple[float, float] | None:
        """Measure how far the rows' own outputs move, of their spread, where rows change places.

        And how far each is then from any that there was: the same ones may be in another order.
        """
        size = self.size(axis)
        if size is None or size < 3:
            return None
        before = self.give({})
        if _farthest(before, self.give({}, seed=1)):
            # Chance has places as well.
            return None
        after = self.give({id(one): one.roll(1, axis) for one in self._along(axis, size)})
        found = []
        for one, two in zip(before, after, strict=True):
            at = _axis_of(one, axis, size)
            if at is not None and one.shape == two.shape:
                moved = float((two - one.roll(1, at)).abs().max())
                rows = [each.movedim(at, 0).reshape(size, -1) for each in (two, one)]
                nearest = float(sys.modules["torch"].cdist(*rows).amin(1).max())
                found.append((moved / _size(one), nearest / _size(one)))
        return max(found, default=None)

    def row_figures(self, axis: int) -> dict[str, int]:
        """Count what scales rows in an evaluation by figures of all rows of their batch.

        Layers of batch norm are `rows_normed`; what a script computes itself, and takes back to the
        rows, `rows_figures`.
        """
        size = self.size(axis)
        tape, _outputs = self.heard()
        normed, taken, figures = 0, 0, set[Slot]()
        for each in tape.operations:
            normed += "batch_norm" in each.name and _is_in_training(each)
            given, made = (
                [s for s in slots if _has_rows(tape.values.get(s), axis, size)]
                for slots in (each.given, each.made)
            )
            ours = figures.intersection(each.given)
            taken += bool(ours and given) or (each.name == "normalize" and _dim(each) == axis)
            if not made and (ours or (given and each.name in TAKEN)):
                figures.update(each.made)
        return {"rows_normed": normed, "rows_figures": taken}

    def size(self, axis: int, *, of_some: bool = False) -> int | None:
        """Count the rows, if each input has them along this axis, or some, and no other twice."""
        sizes = {one.shape[axis] for one in self.inputs if one.ndim > axis}
        main = self.main()
        if main is None or main.ndim <= axis:
            return None
        size = int(main.shape[axis])
        is_graph = any(
            one.ndim > 1 and not one.is_floating_point() and size not in one.shape
            for one in self.inputs
        )
        is_twice = any(list(one.shape).count(size) > 1 for one in self.inputs)
        # The state of a recurrent layer has its rows along another axis.
        is_state = any(
            one.ndim > axis + 1 and one.shape[axis] == 1 and size in one.shape
            for one in self.inputs
        )
        is_unsure = not of_some and (is_twice or is_state)
        return None if is_graph or is_unsure or sizes - {size, 1} else size

    def has_places(self, size: int) -> bool:
        """Whether so many places, each with numbers of its own, are added alike to each row."""
        held = itertools.chain(self.network.parameters(), self.network.buffers())
        shapes = [one.shape for one in held if one.ndim > 2]
        return size > 1 and any(shape[0] == 1 and shape[1] == size for shape in shapes)

    def main(self) -> Any:
        """Return the largest of the inputs; of ids, where there are any: a state may be larger."""
        ids = [one for one in self.inputs if one.ndim > 1 and not one.is_floating_point()]
        return max(ids or self.inputs, key=lambda one: one.numel(), default=None)

    def _along(self, axis: int, size: int) -> list[Any]:
        return [one for one in self.inputs if one.ndim > axis and one.shape[axis] == size]

    # Columns.

    def columns(self, axis: int, targets: Sequence[Any]) -> list[tuple[list[int], float, bool]]:
        """Measure how far outputs move if the rows of an input change places, for each that varies.

        With whether it may tell what is padding: a number for each row, or a mask. Not of what is
        given as well as a target of the loss: a network need not read its labels. Nor need it read
        what another input has as well.
        """
        size = self.size(axis, of_some=True)
        if size is None or size < 2:
            return []
        before = self.give({})
        # The mean of all rows, as a critic may give, is the same in whatever order they come.
        if not any(each.numel() >= size for each in before):
            return []
        found = []
        for one in self._along(axis, size):
            turned = one.roll(1, axis)
            is_target = any(
                each.shape == one.shape and bool((each == one).all()) for each in targets
            )
            if not is_target and bool((turned != one).any()):
                moved = _farthest(before, self.give({id(one): turned}))
                if not moved and any(_is_within(one, each, axis) for each in self.inputs):
                    continue
                tells = one.ndim == 1 or bool(((one == 0) | (one == 1)).all())
                found.append(([*one.shape], moved, tells))
        return found

    def holding(self, targets: Sequence[Any]) -> int:
        """Count the columns read that are a target themselves, but for their scale.

        Of measures of a row, or of its last place: to keep an earlier one in mind may be the task.
        """
        found = 0
        for one in self.inputs:
            if (
                not one.is_floating_point()
                or one.ndim not in (2, 3)
                or one.shape[-1] * one.ndim < 3
            ):
                continue
            # Convolutions along places have the measures first, and the places behind them.
            channels = {getattr(each, "in_channels", 0) for each in self._modes}
            is_behind = one.shape[1] in channels and one.shape[-1] not in channels
            last = (..., -1) if is_behind else (slice(None), -1)
            table = one if one.ndim == 2 else one[last]
            # What a network adds to its own answer is a part of its inputs, not their copy.
            others = (each for each in targets if not _share_memory(one, each))
            same = {at for each in others for at in _same_columns(table, each)}
            for at in sorted(same)[:FARTHEST]:
                changed = one.clone()
                there = changed if one.ndim == 2 else changed[last]
                there[:, at] = there[:, at].roll(1, 0)
                found += _farthest(self.give({}), self.give({id(one): changed})) > EXACT
        return found

    def labels_of_mask(self, targets: Sequence[Any]) -> bool:
        """Return whether the labels that count are all one id, which the ids have at their places.

        So are labels that were copied of the ids after these were masked.
        """
        for ids, given in itertools.product(self.inputs, targets):
            if ids.ndim != 2 or ids.is_floating_point() or given.is_floating_point():
                continue
            labels = table_of(given, len(ids))
            if labels is None or labels.shape != ids.shape:
                continue
            counted = labels >= 0
            one, there = labels[counted], ids[counted]
            is_part = FEWEST <= len(one) < counted.numel()
            if is_part and bool((one == one[0]).all()) and bool((there == one).all()):
                # Where all is one id, nothing was masked.
                return len(ids[~counted].unique()) > FARTHEST
        return False

    def are_finite(self) -> bool:
        """Return whether all inputs are numbers."""
        return all(bool(one.isfinite().all()) for one in self.inputs if one.is_floating_point())

    # Modes.

    def modes(self) -> dict[str, float]:
        """Measure how far outputs lie apart in both modes, and in each with other chance.

        With how often numbers were dropped in each, and the largest share; other chance may be
        meant.
        """
        training, drops = self._heard(training=True)
        evaluation, dropped = self._heard(training=False)
        return {
            "training": _farthest(training, self.give({}, training=True, seed=1)),
            "evaluation": _farthest(evaluation, self.give({}, seed=1)),
            "apart": _farthest(training, evaluation),
            "drops": len(drops),
            "most": max(drops, default=0.0),
            "dropped": len(dropped),
        }

    def layers_in_one(self) -> int:
        """Count the layers that take what another one gives, in a network that bends nowhere.

        Halfway between two rows, and between a row and its opposite, its answer is then halfway
        between theirs: all of its layers are as good as one. Two rows alone may be on one side of
        each bend, and what bends alike on both sides shows it by no opposite. Fewer numbers between
        two layers may be meant, as in a compression. Of rows that are alike nothing is known.
        """
        rows = self.main()
        if len(self.inputs) != 1 or not rows.is_floating_point() or rows.ndim < 2 or len(rows) < 3:
            return 0
        tape, ends = self.heard()
        for other in (rows.roll(1, 0), -rows):
            halves, others = (self.give({id(rows): each}) for each in ((rows + other) / 2, other))
            for one, two, half in zip(ends, others, halves, strict=True):
                apart, bent = (float(e.abs().max()) for e in (two - one, half - (one + two) / 2))
                if not bent < EXACT * min(apart, _size(one)):
                    return 0
        width = max((one.shape[-1] for one in ends if one.ndim), default=0)
        behind, found = set[Slot](), 0
        for each in tape.operations:
            value = tape.values.get(each.made[0]) if each.made else None
            if each.name == "linear" and value is not None:
                found += not behind.isdisjoint(each.given)
                behind.update(each.made if value.shape[-1] >= width else ())
            elif not behind.isdisjoint(each.given):
                behind.update(each.made)
        return found

    def _heard(self, *, training: bool) -> tuple[list[Any], list[float]]:
        """Return the outputs in a mode, with the shares of numbers that were dropped for them."""
        tape, outputs = self.heard(training=training)
        return outputs, [_share(each) for each in tape.operations if _is_dropped(each)]

    # Places.

    def ahead(self, given: Any, axis: int) -> tuple[float, float] | None:
        """Measure how far earlier places move, of later ones, where one is changed; and its own."""
        length = given.shape[axis]
        place = length // 2
        if length < 4:
            return None
        before = self.give({})
        changed = given.clone()
        there = (slice(None),) * axis + (place,)
        changed[there] = given.roll(1, 1 - axis)[there]
        if bool((changed == given).all()):
            changed[there] = given.roll(1, axis)[there]
        after = self.give({id(given): changed})
        found = []
        for one, two in zip(before, after, strict=True):
            moved = by_places(two - one, given.shape, axis)
            if moved is not None and len(moved) == length:
                moves = moved.flatten(1).abs().amax(1)
                later = float(moves[place:].max())
                if later > TINY:
                    earlier, own = float(moves[:place].max()), float(moves[place])
                    found.append((earlier / later, own / later))
        return max(found, default=None)

    def keeps_places(self, given: Any) -> bool:
        """Return whether outputs move most at the very place at which an input is changed.

        Of a network that takes a text together, and then gives another one, they do not.
        """
        length = given.shape[1]
        before = self.give({})
        found = []
        for place in (length // 4, length // 2, 3 * length // 4):
            changed = given.clone()
            changed[:, place] = given[:, place].roll(1)
            after = self.give({id(given): changed})
            for one, two in zip(before, after, strict=True):
                moved = by_places(two - one, given.shape)
                if moved is not None and len(moved) == length:
                    moves = moved.flatten(1).abs().amax(1)
                    own, moves[place] = float(moves[place]), 0.0
                    found.append(float(moves.max()) < MOSTLY * own)
        return bool(found) and all(found)

    def of_row(self, padding: Padding, row: int, kept: Any = None) -> dict[int, Any]:
        """Return inputs whose rows are all this one, with some of its places: what it is alone."""
        rows, length = padding.ids.shape
        changes = {}
        for each in self.inputs:
            one = each[[row] * rows] if each.ndim and each.shape[0] == rows else each
            for axis in range(one.ndim if kept is not None else 0):
                if one.shape[axis] == length and (axis or length != rows):
                    one = one.index_select(axis, kept)
            changes[id(each)] = one
        return changes

    def padding_moves(self, padding: Padding) -> tuple[float | None, bool] | None:
        """Measure how far a row's outputs move, of the rows' spread, without its padding.

        With whether there is no answer then: its padding is all that was looked at. An answer that
        stays as it is with half of the padding doesn't hang on how much of it there is: a maximum
        of all places is one of the first of them that are filled up.
        """
        ids, places = padding.ids, padding.places
        rows, length = ids.shape
        counts = places.sum(1)
        chosen = [int(row) for row in counts.argsort(descending=True)[:2] if counts[row] > 0]
        before = self.give({})
        found: list[float] = []
        lost: list[bool] = []
        for row in chosen:
            kept = (~places[row]).nonzero()[:, 0]
            if len(kept) < 1:
                continue
            # Each time all rows are this one: what other rows do is not its padding's.
            alone = self.of_row(padding, row)
            with_it, without = self.give(alone), self.give(self.of_row(padding, row, kept))
            refilled = ids[[row] * rows]
            refilled[:, places[row]] = ids[row, kept[0]]
            # Without padding in front of it, a text has other positions; with other ids it has not.
            others = {**alone, id(ids): refilled}
            other = self.give(others) if bool(places[row, 0]) else [None] * len(without)
            given = (before, with_it, without, other)
            for at, (all_rows, one, two, three) in enumerate(zip(*given, strict=True)):
                if not one.ndim or len(one) != rows:
                    continue
                mine, theirs = one[0], two[0] if three is None else three[0]
                if one.ndim > 1 and one.shape[1] == length and two.shape[1] == len(kept):
                    mine = mine.index_select(0, kept)
                    theirs = theirs if three is None else theirs.index_select(0, kept)
                if mine.shape == two[0].shape and bool(mine.isfinite().all()):
                    lost.append(len(kept) > 1 and bool(two[0].isnan().all()))
                    moves = min(float((mine - each).abs().max()) for each in (two[0], theirs))
                    if moves > EXACT * _size(all_rows) and one.shape == two.shape:
                        less = self.give(self.of_row(padding, row, _with_half(places[row])))[at]
                        moves = min(moves, float((mine - less[0]).abs().max()))
                    found.append(moves / _size(all_rows))
        moves = max(found, default=math.nan)
        return (moves if math.isfinite(moves) else None, all(lost)) if lost else None

    def padding_of(self, padding: Padding, targets: Any) -> Any:
        """Find the places of targets, texts of another width, that are filled up by the same id."""
        table = table_of(targets, len(padding.ids))
        if not padding.by_mask or table is None or table.shape == padding.ids.shape:
            return None
        places = at_ends(table == padding.ids[padding.places][0])
        return places if is_padding(table, places) else None

    def ends_left_out(self, targets: Sequence[Any]) -> float | None:
        """Compute the share of texts ending in the padding's id whose labels leave out that end.

        Of labels that are the ids themselves, place by place, up to there. Where no mask tells the
        end from the padding, the longest text has to have one as well.
        """
        for ids, given in itertools.product(filter(are_ids, self.inputs), (*self.inputs, *targets)):
            labels = None if given is ids else table_of(given, len(ids))
            ahead = 0 if labels is None else ids.shape[1] - labels.shape[1]
            if labels is None or len(labels) != len(ids) or ahead not in (0, 1):
                continue
            counted = labels >= 0
            if bool(counted.all()) or not bool((labels == ids[:, ahead:])[counted].all()):
                continue
            counted = sys.modules["torch"].cat([~counted[:, :ahead], counted], 1)
            padding = found_padding(self.inputs)
            for mask in _masks_beside(padding, ids, self.inputs):
                return _ends_left_out(ids, counted, mask != 0)
            if padding is not None and padding.ids is ids and filled_up(self.inputs)[1:] == [1]:
                places = padding.places
                return _ends_left_out(ids, counted, ~places | (places.cumsum(1) == 1))
        return None


def _masks_beside(padding: Padding | None, ids: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return the masks that tell more of ids than where the id of their padding is."""
    masks = [one for one in inputs if one.shape == ids.shape and is_binary(one)]
    if padding is None:
        return masks
    of_id = ids == ids[padding.places][0]
    return [one for one in masks if not any(bool((e == of_id).all()) for e in (one == 0, one != 0))]


def found_padding(inputs: Sequence[Any]) -> Padding | None:
    """Find the padded places, by a mask of zeros and ones, or by one id at the ends."""
    for ids in filter(are_ids, inputs):
        for mask in inputs:
            if mask is not ids and mask.shape == ids.shape and is_binary(mask):
                for places in (mask == 0, mask != 0):
                    if _is_filled(ids, places):
                        return Padding(ids, places, by_mask=True)
        for places in _ends(ids):
            if is_padding(ids, places):
                return Padding(ids, places, by_mask=False)
    return None


def filled_labels(texts: Sequence[Any], labels: Any) -> Any:
    """Find the labels that are filled up places of a text which a network is given; or None.

    They are all ids of that text, or all but the first of each row. Rows may lie along either axis.
    The first filled up place of a row may be its end, and counts.
    """
    both = ((each, is_turned) for one in filter(are_ids, texts) for each, is_turned in _turns(one))
    for (ids, is_turned), ahead in itertools.product(both, (0, 1)):
        if ids[:, ahead:].numel() != labels.numel():
            continue
        for places in (each for each in _ends(ids) if is_padding(ids, each)):
            table, filled = ids[:, ahead:], (places & (places.cumsum(1) > 1))[:, ahead:]
            table, filled = (table.T, filled.T) if is_turned else (table, filled)
            if bool((table.reshape(-1) == labels.reshape(-1)).all()):
                return filled.reshape(labels.shape)
    return None


def _turns(ids: Any) -> list[tuple[Any, bool]]:
    """Return texts with the rows along the first axis, if they are there, and if they are not."""
    return [(ids, False), (ids.T, True)]


def filled_up(inputs: Sequence[Any]) -> list[int]:
    """Return how wide texts are that one id fills up, and how often each ends in it at least.

    Nothing where a mask tells what is filled up.
    """
    padding = found_padding(inputs)
    if padding is None or _masks_beside(padding, padding.ids, inputs):
        return []
    return [padding.places.shape[1], int(at_ends(padding.places).sum(1).min())]


def measured(inputs: Sequence[Any]) -> dict[str, float]:
    """Count the inputs that are measures; give the largest column's mean distance from 0.

    Where there is one, also how far its numbers spread around their mean. What another network
    gives, with a way back to it, is as large as that one has learned.
    """
    found = [one for one in inputs if one.is_floating_point() and one.ndim > 1 and one.numel()]
    if any(one.grad_fn is not None for one in found):
        return {}
    sizes = [float(one.abs().reshape(-1, one.shape[-1]).mean(0).max()) for one in found]
    if not sizes:
        return {}
    spread = {"inputs_spread": float(found[0].float().std(correction=0))} if len(found) == 1 else {}
    return {"inputs_measured": len(sizes), "inputs_largest": max(sizes), **spread}


class RandomState:
    """Chance as it was at the beginning, or as it might have been as well."""

    def __init__(self) -> None:
        self._torch = sys.modules["torch"].get_rng_state()
        self._python = random.getstate()
        # NumPy imports it once it is asked for, which a child of the process cannot do.
        self._numpy: Any = sys.modules.get("numpy.random")
        self._of_numpy = self._numpy.get_state() if self._numpy else None

    def set(self, seed: int) -> None:
        """Set all generators back, or, for another seed than 0, elsewhere."""
        if seed:
            sys.modules["torch"].default_generator.manual_seed(seed)
            random.seed(seed)
            if self._numpy:
                self._numpy.seed(seed)
            return
        sys.modules["torch"].set_rng_state(self._torch)
        random.setstate(self._python)
        if self._numpy:
            self._numpy.set_state(self._of_numpy)


def places_ahead(target: Any, given: Any, axis: int) -> int | None:
    """Count the places by which targets are ahead of the inputs that they are; None otherwise."""
    if given.ndim != 2 or target.numel() % len(given):
        return None
    target = target.reshape(len(given), -1) if target.ndim != 2 else target
    if target.ndim != 2 or target.shape[1 - axis] != given.shape[1 - axis]:
        return None
    given, target = given.movedim(axis, 0), target.movedim(axis, 0)
    shares = {}
    for ahead in range(-1, FARTHEST + 1):
        mine = given[max(ahead, 0) :]
        theirs = target[max(-ahead, 0) :]
        count = min(len(mine), len(theirs))
        if count < 2:
            continue
        one, two = mine[:count], theirs[:count]
        counted = two >= 0 if not two.is_floating_point() else two == two
        if int(counted.sum()) >= FEWEST:
            shares[ahead] = float((one == two)[counted].float().mean())
    best = max(shares, key=lambda ahead: shares[ahead], default=None)
    others = [share for ahead, share in shares.items() if ahead != best]
    if best is None or shares[best] < SURE or max(others, default=0.0) > SURE - 0.1:
        return None
    return best


def unmasked(ids: Any, labels: Any) -> Any:
    """Find the places whose label is the input itself, where one id hides the others' labels."""
    counted = labels >= 0
    same = counted & (ids == labels)
    hidden = ids[counted & ~same]
    if len(hidden) < FEWEST or float(same.sum()) < MOSTLY * float(counted.sum()):
        return None
    mask = hidden.mode().values
    is_mostly = float((hidden == mask).double().mean()) > MOSTLY
    # The mask hides several words, and is none itself.
    several = len(labels[counted & (ids == mask)].unique()) > FARTHEST
    return same if is_mostly and several and not bool((ids[same] == mask).any()) else None


class _Quiet:
    """Stands for the log of a tape of which nothing is written."""

    looking = False


def _is_within(one: Any, other: Any, axis: int) -> bool:
    """Return whether each row of an input has all that differs between rows in another input."""
    if one is other or not one.is_floating_point() or other.ndim <= axis:
        return False
    if other.shape[axis] != one.shape[axis]:
        return False
    rows, wide = (e.movedim(axis, 0).reshape(e.shape[axis], -1) for e in (one, other))
    rows = rows[:, (rows != rows[:1]).any(0)]
    # A 0 or a 1 is found in many others.
    if bool(((rows == 0) | (rows == 1)).all()):
        return False
    is_in = sys.modules["torch"].isin
    return all(bool(is_in(row, there).all()) for row, there in zip(rows, wide, strict=True))


def _share_memory(one: Any, other: Any) -> bool:
    """Return whether a tensor is a view of another one, or both of a third."""
    return bool(one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr())


def _same_columns(table: Any, target: Any) -> list[int]:
    """Return the columns that are a target of one number a row, moved and scaled at most."""
    rows = len(table)
    if target.numel() != rows or len(target) != rows or rows < FEWEST:
        return []
    column = target.reshape(rows, 1).double()
    columns, column = (each - each.mean(0) for each in (table.double(), column))
    lengths = columns.norm(dim=0) * column.norm()
    alike = (columns * column).sum(0).abs() / lengths.clamp(min=TINY)
    return [int(at) for at in (alike > 1 - ROUNDING).nonzero()[:, 0]]


def _has_rows(value: Any, axis: int, size: int | None) -> bool:
    """Return whether a tensor has the rows, along the axis of the inputs or the first one."""
    return value is not None and size in (*value.shape[:1], *value.shape[axis : axis + 1])


def _is_in_training(operation: Operation) -> bool:
    """Return whether a batch norm takes its figures from the batch."""
    return bool(operation.named.get("training", (*operation.arguments, *[False] * 6)[5]))


def _dim(operation: Operation) -> int:
    """Return the axis along which `normalize` makes all lengths 1."""
    return int(operation.named.get("dim", (*operation.arguments, 2.0, 1)[2]))


def _is_dropped(operation: Operation) -> bool:
    """Return whether a dropout was at work: it has made other numbers."""
    return "dropout" in operation.name and not set(operation.made) <= set(operation.given)


def _share(operation: Operation) -> float:
    """Return the share of numbers that a dropout takes away."""
    return float(operation.named.get("p", (*operation.arguments, 0.5, 0.5)[1]))


def _distinct(values: Any) -> list[Any]:
    return [*{id(each): each for each in values}.values()]


def _with_row(one: Any, axis: int, row: int, other: int) -> Any:
    changed = one.clone()
    there = (slice(None),) * axis
    changed[(*there, row)] = one[(*there, other)]
    return changed


def _axis_of(made: Any, axis: int, size: int) -> int | None:
    """Return the one axis of outputs that has the rows: where the inputs have it, or the first."""
    if list(made.shape).count(size) != 1:
        return None
    at = list(made.shape).index(size)
    return at if at in (0, axis) else None


def _farthest(before: list[Any], after: list[Any]) -> float:
    """Compute the largest move, relative to the spread of what moves."""
    return max(
        (
            float((two - one).abs().max()) / _size(one)
            for one, two in zip(before, after, strict=True)
            if one.shape == two.shape
        ),
        default=0.0,
    )


def _with_half(filled: Any) -> Any:
    """Return the places of a row with that half of its padding which is next to its words."""
    places = (~filled).nonzero()[:, 0]
    padding = filled.nonzero()[:, 0]
    first = int(places[0])
    after, ahead = padding[padding > first], padding[padding < first]
    halves = [ahead[(len(ahead) + 1) // 2 :], after[: len(after) // 2]]
    return sys.modules["torch"].cat([*halves, places]).sort().values


def _size(value: Any) -> float:
    spread = float(value.std()) if value.numel() > 1 else float(value.abs().max())
    return spread + 1e-6 * float(value.abs().max()) + TINY


def is_binary(value: Any) -> bool:
    """Return whether there are zeros and ones only, and both."""
    return bool(((value == 0) | (value == 1)).all()) and bool((value != value.flatten()[0]).any())


def are_ids(one: Any) -> bool:
    """Return whether these may be texts: no mask, and no labels of which some don't count."""
    if one.ndim != 2 or one.is_floating_point() or min(one.shape) < 2:
        return False
    return not is_binary(one) and not bool((one < 0).any())


def is_padding(ids: Any, places: Any) -> bool:
    """Return whether these are the filled up places at the ends of rows, by what they hold."""
    # Of sorted rows, the largest lie at the end; a mark may stand before or behind them.
    steps = [one.diff(dim=1) for one in (ids, ids[:, 1:], ids[:, :-1])]
    is_sorted = any(bool((each >= 0).all() or (each <= 0).all()) for each in steps)
    return not is_sorted and _are_runs(places) and _is_filled(ids, places)


def _are_runs(places: Any) -> bool:
    """Return whether several rows end in one id more than once: a last id may be any."""
    runs = sorted(places.sum(1).tolist())
    return bool(runs[-1] > 2 and runs[-2] > 1 and runs[0] != runs[-1])


def _ends_left_out(ids: Any, counted: Any, real: Any) -> float | None:
    """Compute the share of ends without a label among texts padded with the id of their end."""
    last = real.sum(1) - 1
    rows = ((last > 0) & (last + 1 < ids.shape[1]) & at_ends(~real).any(1)).nonzero()[:, 0]
    filled = ids[rows][~real[rows]]
    if len(rows) < 2 or not bool((filled == filled[0]).all()):
        return None
    ends, before = last[rows], last[rows] - 1
    # Behind a prompt that is left out as well, nothing is known.
    texts = (ids[rows, ends] == filled[0]) & counted[rows, before]
    if 2 * int(texts.sum()) < len(rows):
        return None
    return float((~counted[rows, ends])[texts].float().mean())


def _is_filled(ids: Any, places: Any) -> bool:
    """Return whether these places are all of one id, at rows' ends, and no others are of it."""
    there = ids[places]
    if not len(there) or not bool((there == there[0]).all()) or bool(places.all(1).any()):
        return False
    others = ids[~places]
    if float((others == there[0]).float().mean()) > 0.02:
        return False
    return any(
        bool((places == each).all()) for each in (at_ends(places), at_ends(places.flip(1)).flip(1))
    )


def at_ends(places: Any) -> Any:
    """Return those of the places that have only such behind them."""
    return places.flip(1).long().cumprod(1).flip(1).bool()


def _ends(ids: Any) -> list[Any]:
    """Find the places at the ends of rows, or at their beginnings, that are all of one id."""
    found = []
    for turned in (False, True):
        texts = ids.flip(1) if turned else ids
        last = texts[:, -1]
        (values, counts) = last.unique(return_counts=True)
        places = at_ends(texts == values[counts.argmax()])
        found.append(places.flip(1) if turned else places)
    return found
