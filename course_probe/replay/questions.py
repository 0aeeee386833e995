"""What a replayed loss is asked: does it pair rows, where is its minimum, what is known of labels.

All of it is computed in a child of the process: values are changed, and chance is taken, freely.
"""

import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from course_probe.replay.replay import Gradients, LossPart, OutOfTime, Values
from course_probe.replay.tape import Slot

ROLLS = 8
"""Other orders of the targets that a loss is asked about."""
STEPS = 30
"""Steps of the search for a minimum."""
SECONDS = 0.3
"""How long one search may take."""
NEAR = 0.01
"""What of a loss's size is as good as nothing."""
MUCH = 0.1
"""What of a move is more than what comes of a factor that is not quite right."""
FAR = (1e3, 1e6)
"""How far behind a minimum it is looked whether it was one, in lengths of the way there."""
HALF = 0.5
FEW = 3
"""Places by which outputs may be fewer than inputs."""
TINY = 1e-9
MOST = 64
"""Classes that are counted."""


def _as_it_is(value: Any) -> Any:
    return value


class Questions:
    """The questions to one part, and the values from which they are asked."""

    def __init__(self, part: LossPart, masks: Sequence[Any] = ()) -> None:
        torch = sys.modules["torch"]
        self.torch = torch
        self.part = part
        torch.default_generator.manual_seed(0)
        given = (slot for slot in part.given if _varies(part.values[slot]))
        # A mask that a network was given says which places count, and is no label.
        varying = [s for s in given if not any(_are_one(part.values[s], each) for each in masks)]
        self.meeting, met = part.touched(varying)
        self.targets = [
            slot for slot in varying if slot in met and len(part.values[slot]) in part.counts
        ]
        reached = {slot: part.behind([slot]) for slot in part.outputs}
        self.outputs = [
            slot
            for slot in part.outputs
            if part.values[slot].is_floating_point() and reached[slot].intersection(self.meeting)
        ]
        self.actual: Values = {slot: part.values[slot] for slot in self.outputs}
        self.spread = {slot: self._spread(value, 0.1) for slot, value in self.actual.items()}
        sizes = [part.values[slot] for slot in self.targets]
        large = max(
            (float(each.abs().max()) for each in sizes if each.is_floating_point()), default=1
        )
        self.wide = {slot: self._spread(value, large) for slot, value in self.actual.items()}

    def _spread(self, value: Any, least: float) -> Any:
        """Add noise of about the value's own size, for outputs that are all alike."""
        size = value[value.isfinite()].std(unbiased=False) if value.numel() > 1 else 0.0
        noise = self.torch.randn_like(value) * max(float(size), least)
        return self.torch.where(value.isfinite(), value + noise, value)

    def only_class(self) -> int | None:
        """Return the class of all rows of a batch, where their targets are one class, by number."""
        for slot in self.part.given:
            value = self.part.values[slot]
            is_class = value.dtype == self.torch.int64 and value.numel() > 1
            if is_class and len(value) in self.part.counts and not _varies(value):
                return int(value.flatten()[0])
        return None

    def labels(self) -> list[list[int]] | None:
        """Count the rows of each class, given by number; None where several targets are such."""
        found = [one for one in self.compared() if are_labels(one)]
        if not found:
            twos = (yes_or_no(one) for one in self.compared() if _varies(one))
            found = [one for one in twos if one is not None]
        return counts_of(found[0]) if len(found) == 1 else None

    def compared(self) -> list[Any]:
        """Return what the outputs meet: the targets, as they are where they are compared."""
        met = self.part.run(self.actual, self._met()).values()
        return [one for one in met if one.ndim and len(one) in self.part.counts]

    def held(self) -> Values:
        """Return the targets, as they are given, and as they are where they are compared."""
        given = {slot: self.part.values[slot] for slot in self.targets}
        return {**given, **self.part.run(self.actual, self._met())}

    def _met(self) -> set[Slot]:
        """Return the slots that the network meets, or all that is given where it meets none."""
        ours, meeting = self.part.behind(self.outputs), set(self.meeting)
        theirs = {slot for slot in self.part.given if not meeting}
        for operation in self.part.operations:
            if meeting.intersection(operation.given):
                # What the network meets itself: it may be chosen by the places of rows before.
                theirs.update(slot for slot in operation.given if slot not in ours)
        return theirs

    def spreads(self) -> list[float] | None:
        """Measure how far outputs and targets lie from 0, where the targets are measures."""
        targets = self._measures()
        if not targets:
            return None
        both = (self.actual.values(), targets)
        return [max(float(each.abs().mean()) for each in values) for values in both]

    def beyond(self) -> list[float] | None:
        """Compute which shares of the targets are below -1, below 0, and above 1.

        None where they are not one kind of measure.
        """
        targets = self._measures()
        if len(targets) != 1 or len(self.targets) > 1:
            return None
        (one,) = targets
        return [float(each.double().mean()) for each in (one < -1, one < 0, one > 1)]

    def _measures(self) -> list[Any]:
        """Return the targets that are measures; those of rows that are picked by their numbers."""
        given = [self.part.values[slot] for slot in self.targets]
        found = [each for each in given if each.is_floating_point()]
        return found or [each for each in self.compared() if each.is_floating_point()]

    def at_meeting(self, values: Values) -> Values:
        """Compute the values of the slots in which the network first meets the targets."""
        return self.part.run(values, self.meeting)

    # What of the targets the loss hangs on.

    def moved(self) -> list[float]:
        """Measure how far, of its size, the loss moves with each target of other rows."""
        turned = {slot: _rolled(self.part.values[slot]) for slot in self.targets}
        found = [0.0] * len(self.targets)
        for start in (self.actual, self.spread, self.wide):
            own = self._loss(start)
            if not math.isfinite(own):
                continue
            for number, slot in enumerate(self.targets):
                others = [self._loss({**start, slot: each}) for each in turned[slot]]
                farthest = max((abs(each - own) for each in others), default=0.0)
                found[number] = max(found[number], farthest / (abs(own) + TINY))
        return found

    def known(self) -> list[float]:
        """Compute the loss with each row's own targets, and its mean with those of other rows."""
        own = self._loss(self.actual)
        turns = zip(*(_rolled(self.part.values[slot]) for slot in self.targets), strict=False)
        others = [
            self._loss({**self.actual, **dict(zip(self.targets, turn, strict=True))})
            for turn in turns
        ]
        return [own, sum(others) / len(others)]

    def apart(self, level: Slot) -> list[float] | None:
        """Measure how far other rows' slopes move, of its own, where one row has another target.

        With the count of other rows that do. A factor that is common to all rows, of a mean over
        the labels that count, is no move. None where rows are mixed on the way to the targets, as
        by a contrastive loss.
        """
        for base in (self.spread, self.wide):
            start = {**base, **self.part.run(base, [level])}
            count = self.rows(level, start[level])
            found = [
                each
                for slot in self._with(count)
                for row in {0, count // 2}
                if (each := self._apart(level, start, slot, row)) is not None
            ]
            if found:
                return max(found)
        return None

    def _apart(self, level: Slot, start: Values, slot: Slot, row: int) -> list[float] | None:
        value = self.part.values[slot]
        other = _other_row(value, row)
        if other is None:
            return None
        changed = value.clone()
        changed[row] = changed[other]
        sizes = self._move(level, start, slot, changed, row).reshape(len(value), -1).norm(dim=1)
        largest, own = float(sizes.max()), float(sizes[row])
        if not largest > TINY:
            return None
        sizes[row] = 0
        return [float(sizes.max()) / (own + TINY), float((sizes > MUCH * largest).sum())]

    def _move(self, level: Slot, start: Values, slot: Slot, changed: Any, row: int) -> Any:
        """Compute the slopes' move but for a factor of all rows, where one row's target changes."""
        slopes = Gradients(self.part, [level])
        before = slopes.at(start)[0].reshape(len(changed), -1)
        after = slopes.at({**start, slot: changed})[0].reshape(len(changed), -1)
        others = self.torch.arange(len(changed)) != row
        squares = (before[others] ** 2).sum(1)
        factors = ((before[others] * after[others]).sum(1) / squares)[squares > TINY]
        factor = float(factors.median()) if len(factors) else 1.0
        return (after - factor * before).reshape(start[level].shape)

    def _with(self, count: int) -> list[Slot]:
        return [slot for slot in self.targets if count and len(self.part.values[slot]) == count]

    def rows(self, level: Slot, value: Any) -> int:
        """Count a level's rows, where none is mixed with another before it meets targets.

        0 where they are mixed, as by a contrastive loss.
        """
        if not value.ndim or len(value) < 2:
            return 0
        if list(value.shape).count(len(value)) > 1 and not self._are_classes(value):
            return 0
        first = self._reached(level, value, 0)
        last = self._reached(level, value, len(value) - 1)
        is_mixed = any(bool((one & other).any()) for one, other in zip(first, last, strict=True))
        return 0 if is_mixed else len(value)

    def _are_classes(self, value: Any) -> bool:
        """Return whether a square table has classes and no pairs of rows: some rows are of one."""
        given = [self.part.values[slot] for slot in self.targets]
        labels = [one for one in given if are_labels(one) and len(one) == len(value)]
        return value.ndim == 2 and any(len(one.unique()) < len(one) for one in labels)

    def _reached(self, level: Slot, value: Any, row: int) -> list[Any]:
        changed = value.clone()
        changed[row] = changed[row] + self.torch.rand_like(changed[row]) + 0.5
        before = self.part.run({**self.spread, level: value}, self.meeting)
        after = self.part.run({**self.spread, level: changed}, self.meeting)
        return [before[slot] != after[slot] for slot in self.meeting]

    def class_axis(self, level: Slot) -> dict[str, list[int]] | None:
        """Find the axes of a level's numbers along which a class picks one of them.

        A class that is given by its number, or by a 1 in a row of zeros. Where a row's numbers are
        laid out as its targets are, there is one: one of the fitting.
        """
        start = {**self.spread, **self.part.run(self.spread, [level])}
        for slot in self._with(self.rows(level, start[level])):
            value = self.part.values[slot]
            other = _other_row(value, 0)
            is_table = _is_one_hot(value) and value.shape == start[level].shape
            if other is None or (value.is_floating_point() and not is_table):
                continue
            fitting = [1] if is_table else _class_axes(start[level].shape, value.shape)
            if not fitting:
                continue
            # One in the middle: the first or the last one may be left out of the loss.
            places = (value[0] != value[other]).nonzero()
            is_row = value.ndim < 2 or is_table
            at = (0,) if is_row else (0, *(int(each) for each in places[len(places) // 2]))
            changed = value.clone()
            changed[at] = value[(other, *at[1:])]
            move = self._move(level, start, slot, changed, 0)[0].abs()
            # Of numbers that all move a little, with the count of the labels, none is meant.
            places = ((move > NEAR * move.max()) & (move > 0)).nonzero()
            # A number that picks a class moves two, the one of old and the one of now.
            if not 0 < len(places) <= 2:
                continue
            found = [
                axis + 1
                for axis in range(move.ndim)
                if len({int(each[axis]) for each in places}) > 1
            ]
            return {"found": found, "fitting": fitting}
        return None

    def place_of(self, level: Slot, target: Slot, axis: int, place: int, first: int) -> int | None:
        """Find the place, along an axis of a level, where outputs are held to this target's place.

        One that was laid out flat is a table again, its `first` axis of this size.
        """
        flat = self.held()[target]
        value = table_of(flat, first)
        start = self.part.run(self.spread, [level])
        if value is None or value.is_floating_point() or start[level].ndim < 2:
            return None
        counts = value.movedim(axis, 0)
        changed = value.clone()
        moved = changed.movedim(axis, 0)
        for row in range(counts.shape[1]):
            others = counts[(counts != counts[place, row]) & (counts >= 0)]
            if int(counts[place, row]) >= 0 and len(others):
                moved[place, row] = others[0]
                break
        else:
            return None
        slopes = Gradients(self.part, [level])
        move = slopes.at({**self.spread, **start, target: changed.reshape(flat.shape)})[0]
        move = (move - slopes.at({**self.spread, **start})[0]).abs()
        move = by_places(move, value.shape, axis)
        if move is None:
            return None
        strength = move.flatten(1).amax(1)
        places = (strength > 0.5 * strength.max()).nonzero()
        return int(places[0]) if len(places) == 1 else None

    def padded(self, level: Slot, places: Any) -> float | None:
        """Compute the share of a loss's slopes that is in outputs at filled up places."""
        labels = [self.part.values[slot] for slot in self.targets]
        steep = self._steep(level, places)
        if steep is None or not all(_are_filled(each, places) for each in labels):
            # These are places of another text.
            return None
        if all(each.ndim < 2 for each in labels) and int((steep > 0).sum(1).max()) > 1:
            # It may be a place that is asked for, out of all.
            return None
        return _share_at(steep, places)

    def at_labels(self, level: Slot, places: Any) -> float | None:
        """Compute the share of a loss's slopes that is in outputs for these of its labels."""
        start = {**self.actual, **self.part.run(self.actual, [level])}
        table: Any = _by_labels(Gradients(self.part, [level]).at(start)[0], places.shape)
        steep: Any = None if table is None else table.abs().sum(-1)
        whole = 0.0 if steep is None else float(steep.sum())
        return float(steep[places].sum()) / whole if whole > 0 else None

    def at_places(self, level: Slot, places: Any) -> float | None:
        """Compute the share of a loss's slopes that is in outputs at these places of rows."""
        steep = self._steep(level, places)
        return None if steep is None else _share_at(steep, places)

    def _steep(self, level: Slot, places: Any) -> Any:
        """Compute how steep a loss is at each place of each row, where a level has these places."""
        start = self.part.run(self.actual, [level])
        value = start[level]
        slope = Gradients(self.part, [level]).at({**self.actual, **start})[0]
        slope = by_places(slope.reshape(value.shape), places.shape)
        length = places.shape[1]
        if slope is None or not length - FEW <= len(slope) <= length:
            return None
        return slope.abs().sum(2).T

    def left_out(self, level: Slot) -> tuple[int, Any] | None:
        """Find a class whose labels count for nothing, whatever the outputs are, and its places.

        Not where other targets have as many rows: one of them may be a mask.
        """
        value = self.part.values[self.targets[0]] if len(self.targets) == 1 else None
        if value is None or not (are_labels(value.flatten()) or bool((value <= 1).all())):
            return None
        steep: Any = 0.0
        for base in (self.actual, self.spread, self.wide):
            start = {**base, **self.part.run(base, [level])}
            table = _by_labels(Gradients(self.part, [level]).at(start)[0], value.shape)
            if table is None:
                return None
            steep = steep + table.abs().sum(-1)
        for mark in range(max(2, table.shape[-1])):
            places = value == mark
            if bool(places.any()) and not bool(steep[places].any()) and bool(steep.any()):
                return mark, places
        return None

    def scored_in_part(self, level: Slot) -> bool:
        """Return whether a loss leaves out some numbers of each row, in each row other ones.

        By a mask, whatever the outputs are; what only fills rows up leaves no gap in them.
        """
        # Of a class that is given by its number, the others are left out by design.
        if any(one.dtype == self.torch.int64 for one in self.compared()):
            return False
        slopes, found = Gradients(self.part, [level]), []
        for base in (self.actual, self.spread):
            start = {**base, **self.part.run(base, [level])}
            if start[level].ndim < 2 or len(start[level]) < 2:
                return False
            found.append(slopes.at(start)[0].reshape(len(start[level]), -1) != 0)
        counted, others = found
        begun, ended = counted.cumsum(1) > 0, counted.flip(1).cumsum(1).flip(1) > 0
        are_gaps = bool((begun & ended & ~counted).any(1).double().mean() > HALF)
        return are_gaps and bool((counted == others).all() and (counted != counted[:1]).any())

    def log_sum(self) -> float | None:
        """Measure how far what meets classes given by number is from logarithms of chances.

        Of a loss that runs straight along it, and never rises with it, as that of such logarithms.
        """
        if len(self.meeting) != 1:
            return None
        found = self.at_meeting(self.actual)
        if any(bool((e > 0).any()) for e in Gradients(self.part, [*found]).at(found)):
            return None
        (value,) = found.values()
        axes = self.class_axis(self.meeting[0])
        if axes is None or len(axes["found"]) != 1:
            return None
        return float(value.logsumexp(axes["found"][0]).abs().max())

    # Where the loss has its minimum.

    def curvature(self) -> list[float] | None:
        """Return how the loss bends: 1 always up, -1 always down, 0 not.

        In what meets the targets, and in what the last layer gives.
        """
        found = [self._bend(self.at_meeting(self.spread)), self._bend(self.spread)]
        return None if None in found else [each for each in found if each is not None]

    def _bend(self, start: Values) -> float | None:
        signs = [sign for _try in range(ROLLS) if (sign := self._bend_of(start)) is not None]
        if signs and all(sign == -1 for sign in signs):
            # By its advantage, one row of an agent's may be to rise where another is to fall.
            rows = max((len(value) for value in start.values() if value.ndim), default=0)
            each = range(0, rows, max(1, rows // ROLLS))
            signs += [sign for row in each if (sign := self._bend_of(start, row))]
        return sum(signs) / len(signs) if signs else None

    def _bend_of(self, start: Values, row: int | None = None) -> int | None:
        """Return how the loss bends along one way, of all rows or of a single one."""
        steps = {slot: self._step(value) for slot, value in start.items()}
        if row is not None:
            steps = {slot: _only(step, row) for slot, step in steps.items()}
        ends = ({s: start[s] + sign * steps[s] for s in start} for sign in (0, 1, -1))
        middle, there, back = (self._loss({**self.spread, **end}) for end in ends)
        bend = (there + back - 2 * middle) / (abs(middle) + abs(there) + abs(back) + TINY)
        return (bend > 1e-5) - (bend < -1e-5) if math.isfinite(bend) else None

    def _step(self, value: Any) -> Any:
        step = self.torch.randn_like(value)
        if bool(((value >= 0) & (value <= 1)).all()):
            # Chances stay such.
            return step.clamp(-0.9, 0.9) * self.torch.minimum(value, 1 - value)
        return step * (float(value.std(unbiased=False)) + 0.1)

    def lowest(self) -> list[float] | None:
        """Find the lowest loss by any outputs of the last layer, and by any numbers at the meeting.

        None where there is none, or where rows are mixed in between, as by a contrastive loss.
        """
        if any(not self.rows(slot, value) for slot, value in self.spread.items()):
            return None
        by_meeting = self._lowest_met()
        if by_meeting is None:
            return None
        starts = {
            slot: [self.actual[slot], self.spread[slot], self.spread[slot].abs() + 1]
            for slot in self.outputs
        }
        found = self._lowest(starts, enough=by_meeting)
        return None if found is None else [found, by_meeting]

    def _lowest_met(self) -> float | None:
        one = self.at_meeting(self.actual)
        if self._are_for_chances([*one.values()]):
            # What is to be a distribution is lowest where it is the one that is given.
            return self._lowest(
                {slot: [value.clamp_min(TINY).log()] for slot, value in one.items()},
                shape=lambda value: value.softmax(-1),
            )
        found = self._lowest({slot: [value] for slot, value in one.items()})
        if found is not None:
            return found
        if all(bool(((each >= 0) & (each <= 1)).all()) for each in one.values()):
            # Chances, and no other number is taken.
            return self._lowest(
                {slot: [value.logit(1e-3)] for slot, value in one.items()},
                shape=self.torch.sigmoid,
            )
        return None

    def _are_for_chances(self, made: Sequence[Any]) -> bool:
        """Return whether distributions are made, and meet others over as many choices."""
        ours = self.part.behind(self.outputs)
        sides = (each.given for each in self.part.operations if ours.intersection(each.given))
        theirs = {slot for side in sides for slot in side} - ours
        met = self.part.run(self.actual, theirs).values()
        choices = {value.shape[-1] for value in filter(_are_distributions, met)}
        return all(_are_distributions(one) and one.shape[-1] in choices for one in made)

    def constant(self, axes: Sequence[int]) -> float | None:
        """Find the lowest loss of outputs that are the same for all rows, along these axes too."""
        shapes = {slot: value.shape for slot, value in self.actual.items()}
        if any(not shape or len(self.actual[slot]) < 2 for slot, shape in shapes.items()):
            return None
        means = {
            slot: value.mean(dim=[axis for axis in axes if axis < value.ndim], keepdim=True)
            for slot, value in self.actual.items()
        }
        # From outputs that are far off it is a long way.
        starts = {slot: [mean, self.torch.zeros_like(mean)] for slot, mean in means.items()}
        return self._lowest(starts)

    def _lowest(
        self,
        starts: dict[Slot, list[Any]],
        *,
        shape: Callable[[Any], Any] = _as_it_is,
        enough: float = -math.inf,
    ) -> float | None:
        """Find the minimum, from the best of the starts; None where there is none in time."""
        size = abs(self._loss(self.actual)) + TINY
        lowest = math.inf
        for number in range(min(map(len, starts.values()))):
            start = {slot: values[number] for slot, values in starts.items()}
            try:
                lowest = min(lowest, self._descended(start, shape))
            except (RuntimeError, ValueError, IndexError):
                return None
            if lowest - enough < NEAR * size:
                break
        return lowest if math.isfinite(lowest) else None

    def _descended(self, start: Values, shape: Callable[[Any], Any]) -> float:
        torch = self.torch
        end = time.monotonic() + SECONDS
        full = self.part.run(self.actual, start)
        lowest = math.inf

        def loss_of(values: Values) -> Any:
            made = {slot: shape(value).expand(full[slot].shape) for slot, value in values.items()}
            return self.part({**self.actual, **made}).sum()

        free = {slot: value.detach() for slot, value in start.items()}
        ends = free
        # Steps by the sign of a slope, each number with a length of its own: whatever the scale.
        lengths = {slot: 0.1 * (value.abs().mean() + 1) for slot, value in free.items()}
        before = {slot: torch.zeros_like(value) for slot, value in free.items()}
        for _step in range(STEPS):
            if time.monotonic() > end:
                raise OutOfTime
            with torch.enable_grad():
                at = {slot: value.clone().requires_grad_() for slot, value in free.items()}
                loss = loss_of(at)
                slopes = torch.autograd.grad(loss, [*at.values()], allow_unused=True)
            now = float(loss)
            if now < lowest:
                lowest, ends = now, free
            # Where a step led to where nothing moves any more, it is taken back.
            signs = {
                slot: -before[slot]
                if slope is None
                else torch.where(slope == 0, -before[slot], slope.nan_to_num().sign())
                for slot, slope in zip(free, slopes, strict=True)
            }
            if not math.isfinite(now) or not any(bool(each.any()) for each in signs.values()):
                break
            for slot, sign in signs.items():
                turned = sign * before[slot]
                lengths[slot] = lengths[slot] * 2.0**turned
                # One that has gone too far takes a step back before it grows again.
                before[slot] = torch.where(turned < 0, 0, sign)
            free = {slot: value - signs[slot] * lengths[slot] for slot, value in free.items()}
        with torch.no_grad():
            # Where it falls on and on, that was no minimum.
            ways = {slot: value - start[slot] for slot, value in ends.items()}
            there = [
                float(loss_of({slot: ends[slot] + far * way for slot, way in ways.items()}))
                for far in FAR
            ]
        if min(there) < lowest - NEAR * (abs(lowest) + 1):
            return -math.inf
        return lowest

    def _loss(self, values: Values) -> float:
        with self.torch.no_grad():
            return float(self.part(values).sum())


def are_labels(value: Any) -> bool:
    """Return whether a tensor may hold a class, given by number, for each of several rows."""
    return bool(value.ndim == 1 and len(value) > 1 and value.dtype == sys.modules["torch"].int64)


def _is_one_hot(value: Any) -> bool:
    """Return whether each row of a table has a single 1 among zeros, and not all the same one."""
    if value.ndim != 2 or value.shape[1] < 2 or not bool(((value == 0) | (value == 1)).all()):
        return False
    return bool((value.sum(1) == 1).all()) and len(value.argmax(1).unique()) > 1


def yes_or_no(value: Any) -> Any:
    """Return as labels what has a single 0 or 1 for each of several rows; None for any other."""
    is_one = value.ndim and value.numel() == len(value) > 1 and not value.is_complex()
    return value.flatten().long() if is_one and bool(((value == 0) | (value == 1)).all()) else None


def counts_of(labels: Any) -> list[list[int]] | None:
    """Count the rows of each class; None for more than a few classes."""
    classes, counts = (each.tolist() for each in labels.unique(return_counts=True))
    if len(classes) > MOST:
        return None
    return [[one, count] for one, count in zip(classes, counts, strict=True)]


def _by_labels(value: Any, places: Sequence[int]) -> Any:
    """Return outputs with the axes of their labels first, and all classes along one; else None."""
    axes, count = [*value.shape], math.prod(places)
    if axes[: len(places)] != [*places] and axes[2:] == [*places[1:]]:
        # The classes of all places of a row lie along its second axis.
        value = value.movedim(1, -1)
        axes = [*value.shape]
    ends = {math.prod(axes[:at]) for at in range(1, len(axes) + 1)}
    return value.reshape(*places, -1) if count in ends else None


def _share_at(steep: Any, places: Any) -> float | None:
    there, whole = places[:, : steep.shape[1]], float(steep.sum())
    return float(steep[there].sum()) / whole if whole > 0 and bool(there.any()) else None


def _class_axes(outputs: Sequence[int], targets: Sequence[int]) -> list[int]:
    """Find the axes of outputs that may be the classes': the others fit the targets' places."""
    found = []
    for axis in range(1, len(outputs)):
        if outputs[axis] == 1:
            # One number is no choice between classes.
            continue
        places = [*outputs[:axis], *outputs[axis + 1 :]]
        is_near = len(places) == len(targets) and all(
            abs(one - other) <= (min(FEW, other // 4) if number else 0)
            for number, (one, other) in enumerate(zip(places, targets, strict=True))
        )
        if is_near or math.prod(places) == math.prod(targets):
            found.append(axis)
    return found


def _are_filled(targets: Any, places: Any) -> bool:
    """Return whether targets that have these places are all one at those that are filled up."""
    if targets.ndim != 2 or len(targets) != len(places) or targets.shape[1] < places.shape[1]:
        return True
    there = targets[:, : places.shape[1]][places]
    return bool((there == there[:1]).all())


def _are_one(one: Any, other: Any) -> bool:
    """Return whether two tensors are the same numbers at the same place."""
    return one.shape == other.shape and bool(one.data_ptr() == other.data_ptr())


def _only(step: Any, row: int) -> Any:
    """Return a step of one row alone."""
    alone = step * 0
    if step.ndim and row < len(step):
        alone[row] = step[row]
    return alone


def _are_distributions(value: Any) -> bool:
    """Return whether the numbers along the last axis are chances of some choices."""
    if not value.ndim or value.shape[-1] < 2 or not value.is_floating_point():
        return False
    return bool((value >= 0).all()) and bool(((value.sum(-1) - 1).abs() < NEAR).all())


def _varies(value: Any) -> bool:
    """Return whether a tensor has rows that are not all alike."""
    return bool(value.ndim and len(value) > 1 and (value[1:] != value[:1]).any())


def _rolled(value: Any) -> list[Any]:
    """Return the rows in other orders, in each of which every row has another's place."""
    count = min(len(value) - 1, ROLLS)
    return [value.roll(1 + step * (len(value) - 1) // count, 0) for step in range(count)]


def _other_row(value: Any, row: int) -> int | None:
    """Return the row that differs most from this one; None where all are like it."""
    torch = sys.modules["torch"]
    apart = (value.double() - value[row].double()).reshape(len(value), -1).abs().sum(1)
    found = int(torch.nan_to_num(apart).argmax())
    return found if float(apart[found]) > 0 else None


def table_of(target: Any, first: int) -> Any:
    """Return a target as a table, its first axis of this size; None where it is none."""
    if target.ndim == 2:
        return target
    return target.reshape(first, -1) if target.ndim == 1 and not target.numel() % first else None


def by_places(value: Any, table: Sequence[int], axis: int = 1) -> Any:
    """Return outputs place by place of a table of rows, whose places lie along this axis.

    Each place has its rows, and each row all that is left. None where outputs have no such axes.
    """
    rows, length = table[1 - axis], table[axis]
    if value.ndim == 2 and not len(value) % rows:
        value = value.reshape((rows, -1, value.shape[1]) if axis else (-1, rows, value.shape[1]))
    if value.ndim < 3 or value.shape[1 - axis] != rows:
        return None
    # What a place has may come before it, as the channels of a picture do.
    at = [at for at in (axis, value.ndim - 1) if length - FEW <= value.shape[at] <= length]
    return value.movedim((at or [axis])[0], 0).flatten(2)
