"""One looked-at step, or one batch of an evaluation, in plain values.

What can't be known stays away, and `limits` says why. Thresholds stand elsewhere.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from course_probe.forked import found_aside
from course_probe.replay.contracts import (
    broken_contracts,
    dead_ends,
    ignored,
    lost_terms,
    weighted_by_error,
    without_ends,
)
from course_probe.replay.deviations import variances_as_deviations
from course_probe.replay.graph import walked
from course_probe.replay.hearing import is_compiled
from course_probe.replay.last_places import last_places
from course_probe.replay.own_slopes import own_slopes
from course_probe.replay.questions import Questions, table_of
from course_probe.replay.replay import LossPart, NotReplayed
from course_probe.replay.scores import score
from course_probe.replay.similarities import similarities
from course_probe.replay.steps import (
    ComingStep,
    along_step,
    cut_off,
    held_at_zero,
    once_more,
    sent,
)
from course_probe.replay.tape import OperationTape, Slot, laid_out, tensors
from course_probe.replay.texts import texts_known
from course_probe.replay.whatif import (
    EXACT,
    Padding,
    WhatIf,
    are_ids,
    filled_labels,
    filled_up,
    found_padding,
    is_binary,
    measured,
    places_ahead,
    unmasked,
)

Found = dict[str, Any]
LABELS = "labels"
"""What Transformers call the targets, in their calls."""
FLAT = 3
"""Axes from which on inputs have more than rows, or than the places of one series."""
OTHERS = 3
"""Networks of which it is asked whether they mix rows."""
SECONDS = 8.0
"""How long a child may take."""


def study(
    pass_: Any,
    loss: Any,
    tape: OperationTape | None,
    passes: Sequence[Any] = (),
    coming: ComingStep | None = None,
) -> Found:
    """Study one step: its loss, replayed, and its pass, asked what would be otherwise.

    Args:
        pass_: the last outermost pass of the network: `network` (gives the module, or None),
            `args`, `kwargs`, `outputs`, `training`.
        loss: what is about to be sent backward.
        tape: what was heard since the pass began, or longer; None where nothing could be.
        passes: all passes that were made for this loss.
        coming: the step that is about to be made with what this loss alone sends; None if unknown.

    """
    graph = walked(loss)
    return {"graph": graph, **_aside(lambda: _Study(pass_, tape, passes, coming).of_step(loss))}


def study_evaluation(pass_: Any, tape: OperationTape | None) -> Found:
    """Study one batch of an evaluation: how answers are taken of outputs, and counted.

    Args:
        pass_: a pass that no backward reaches.
        tape: what was heard since its end.

    """
    return _aside(lambda: _Study(pass_, tape).of_evaluation())


def _aside(find_out: Callable[[], Found]) -> Found:
    found = found_aside(find_out, SECONDS)
    return found if isinstance(found, dict) else {"limits": ["no child"]}


class _Study:
    """What is found out in a child, one question after another."""

    def __init__(
        self,
        pass_: Any,
        tape: OperationTape | None,
        passes: Sequence[Any] = (),
        coming: ComingStep | None = None,
    ) -> None:
        self._pass = pass_
        self._passes = passes
        self._tape = tape
        self._coming = coming if len(passes) == 1 else None
        self._given = [one for each in passes for one in laid_out((each.args, each.kwargs))]
        # A mask has the places of something else; labels of several classes have their own.
        self._masks = [
            one
            for one in self._given
            if one.ndim == 2
            and is_binary(one)
            and any(each is not one and each.shape[:2] == one.shape for each in self._given)
        ]
        self._limits: list[str] = []
        self._unasked: Found = {}

    def of_step(self, loss: Any) -> Found:
        """Return all that is known of a step, and what is not."""
        questions = self._questions(loss)
        levels = [] if questions is None else self._levels(questions)
        found = (
            self._unasked
            if questions is None
            else self._try("loss", self._of_loss, questions, levels) or {}
        )
        found["ignored_share"] = self._try("ignored", ignored, loss)
        found["as_deviations"] = self._try("noise", variances_as_deviations, loss)
        found.update(self._try("similarities", similarities, loss) or {})
        if self._tape is not None and self._tape.operations:
            given = (self._tape, self._given, self._masks)
            found.update(self._try("contracts", broken_contracts, *given) or {})
            found["weighted"] = self._try("weights", weighted_by_error, self._tape, loss)
            found["lost_terms"] = self._try("terms", lost_terms, self._tape, loss)
            found["own_slopes"] = self._try("slopes", own_slopes, self._tape, loss)
        network = self._pass.network()
        if network is None:
            self._limits.append("passes: no network")
        elif is_compiled():
            self._limits.append("passes: compiled")
        else:
            whatif = WhatIf(network, self._pass.args, self._pass.kwargs)
            found.update(self._try("passes", self._of_passes, whatif, questions, levels) or {})
            found.update(self._try("sent", sent, loss) or {})
            if self._tape is not None and len(self._passes) == 1:
                found["dead_ends"] = self._try(
                    "ends", dead_ends, self._tape, loss, network, self._pass.outputs
                )
            if questions is not None:
                found["others"] = self._try("others", self._others_move, questions)
            if self._coming is not None:
                whatif = WhatIf(network, self._pass.args, self._pass.kwargs)
                part = questions.part if questions is not None else None
                again = self._try("along", once_more, whatif, self._pass.outputs, loss, part)
                if again is not None:
                    found["held_at_zero"] = self._try("zeros", held_at_zero, again, self._coming)
                    found["cut_off"] = self._try(
                        "cut off", cut_off, again, loss, network, self._coming
                    )
                    # The last of all: it changes the parameters.
                    found["along"] = self._try("along", along_step, again, loss, self._coming)
        found["texts"] = self._try("texts", texts_known, self._given) or None
        return {**{k: v for k, v in found.items() if v is not None}, "limits": self._limits}

    def of_evaluation(self) -> Found:
        """Find what is taken of the outputs."""
        if self._tape is None or not self._tape.operations:
            return {"limits": ["score: no tape"]}
        inputs = [*laid_out((self._pass.args, self._pass.kwargs))]
        sizes = self._try("inputs", measured, inputs) or {}
        sizes["filled_up"] = self._try("ends", filled_up, inputs)
        given = [self._pass.kwargs, *self._pass.args]
        labels = [each[LABELS] for each in given if isinstance(each, Mapping) and LABELS in each]
        found = self._try("score", score, self._tape, self._pass.outputs, [*tensors(labels)])
        return {**sizes, **(found or {}), "limits": self._limits}

    def _try(self, name: str, question: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Return the answer to one question; what fails is a limit."""
        try:
            found = question(*given, **named)
        except Exception as error:  # noqa: BLE001 (whatever an operation raises for such values)
            self._limits.append(f"{name}: {type(error).__name__}")
            return None
        return None if isinstance(found, float) and not math.isfinite(found) else found

    def _first(
        self, name: str, question: Callable[..., Any], levels: list[Slot], *rest: Any
    ) -> Any:
        """Return the first answer that any level gives."""
        for level in levels:
            found = self._try(name, question, level, *rest)
            if found is not None:
                return found
        return None

    # The loss.

    def _questions(self, loss: Any) -> Questions | None:
        if self._tape is None or not self._tape.operations:
            self._limits.append("replay: no tape")
            return None
        try:
            questions = Questions(LossPart(self._tape, loss), self._masks)
        except NotReplayed as reason:
            self._limits.append(f"replay: {reason}")
            return None
        except Exception as error:  # noqa: BLE001 (whatever an operation raises once more)
            self._limits.append(f"replay: {type(error).__name__}")
            return None
        if not questions.targets or not questions.outputs:
            self._limits.append("replay: no targets that vary")
            self._unasked = {"only_class": questions.only_class(), "labels": questions.labels()}
            return None
        return questions

    def _levels(self, questions: Questions) -> list[Slot]:
        """Return the slots of what the pass gave, and of what its last layer did."""
        part = questions.part
        given = [part.slot(each) for each in tensors(self._pass.outputs)]
        met = set(questions.meeting)
        ours = [slot for slot in given if slot is not None and part.behind([slot]) & met]
        return [*dict.fromkeys([*ours, *questions.outputs])]

    def _of_loss(self, questions: Questions, levels: list[Slot]) -> Found:
        ask = self._try
        part = questions.part
        axis = self._first("class axis", questions.class_axis, levels)
        constant = [0]
        if axis is not None:
            ndim = max(part.values[slot].ndim for slot in questions.outputs)
            constant = [each for each in range(ndim) if each not in axis["found"]]
        bend = ask("curvature", questions.curvature)
        return {
            "targets": [[*part.values[slot].shape] for slot in questions.targets],
            "met_by": [[*each.shape] for each in questions.at_meeting(questions.actual).values()],
            "target_moves": ask("targets", questions.moved),
            "spread": ask("spread", questions.spreads),
            "targets_apart": ask("targets apart", questions.beyond),
            "labels": ask("labels", questions.labels),
            "known": ask("known", questions.known),
            "rows_apart": self._first("rows apart", questions.apart, levels),
            "class_axis": axis,
            "curvature": bend,
            "log_sum": ask("log sum", questions.log_sum) if bend and bend[0] == 0 else None,
            "lowest": ask("lowest", questions.lowest),
            "scored_in_part": self._first("in part", questions.scored_in_part, levels),
            "constant": ask("constant", questions.constant, constant),
            **(ask("left out", self._left_out, questions, levels) or {}),
        }

    def _left_out(self, questions: Questions, levels: list[Slot]) -> Found:
        """Find a class that the loss leaves out, with its share of labels that are no padding."""
        found = self._first("left out", questions.left_out, levels)
        if found is None:
            return {"ignored_real": 0.0}
        mark, places = found
        rows = max((len(each) for each in self._given if each.ndim > 1), default=0)
        empty = questions.part.values[questions.targets[0]] < 0
        real = without_ends(places, empty, rows).double().mean()
        return {"ignored_class": mark, "ignored_real": float(real)}

    # The pass.

    def _of_passes(self, whatif: WhatIf, questions: Questions | None, levels: list[Slot]) -> Found:
        ask = self._try
        padding = ask("padding", found_padding, whatif.inputs)
        ahead = ask("ahead", self._ahead, whatif, questions, levels)
        axes = _row_axes(whatif, questions, ahead, is_padded=padding is not None)
        found: Found = {}
        # Of a list of ids, each may be a row, or a place of one text.
        of_rows = axes if axes and whatif.main().ndim > 1 else []
        moves = [ask("rows", whatif.rows_move, axis, training=False) for axis in of_rows]
        if moves and None not in moves:
            # Which axis is that of the rows is not known: along one of them they are alone.
            found["rows_move_evaluation"] = least = min(moves)
            found["flat"] = whatif.main().ndim < FLAT
            if least > EXACT:
                axis = axes[moves.index(least)]
                found |= ask("figures", whatif.row_figures, axis) or {}
        places = [ask("places", whatif.places_move, axis) for axis in of_rows]
        if places and None not in places:
            found["places_move"], found["answers_lost"] = min(places)
        if ahead is not None:
            given, axis, places = ahead
            found["places_ahead"] = places
            # Of labels that are the inputs themselves, the axis of places is not known.
            moves = [ask("later", whatif.ahead, given, a) for a in ((axis,) if places else (0, 1))]
            if places >= 0 and None not in moves:
                found["later_moves"] = max(earlier for earlier, _own in moves)
                found["own_moves"] = min(own for _earlier, own in moves)
        found |= self._of_padding(whatif, questions, levels, padding)
        if questions is not None:
            found["unmasked"] = ask("unmasked", self._unmasked, whatif, questions, levels)
        given = [questions.part.values[e] for e in questions.targets] if questions else []
        found["ends_left_out"] = ask("ends", whatif.ends_left_out, given)
        found["filled_up"] = ask("ends", filled_up, whatif.inputs)
        if axes:
            found["columns"] = ask("columns", whatif.columns, axes[0], given)
            met = (ask("compared", questions.compared) or []) if questions else []
            if [each.network() for each in self._passes].count(self._pass.network()) == 1:
                # Of an episode, a single moment may have what another one is rewarded for.
                found["targets_held"] = ask("held", whatif.holding, [*given, *met])
            found["labels_of_mask"] = ask("mask", whatif.labels_of_mask, given)
        found["inputs_finite"] = ask("inputs", whatif.are_finite)
        found |= ask("inputs", measured, whatif.inputs) or {}
        found["modes"] = ask("modes", whatif.modes)
        found["layers_in_one"] = ask("bends", whatif.layers_in_one)
        return found | (ask("last places", last_places, whatif, padding) or {})

    def _of_padding(
        self,
        whatif: WhatIf,
        questions: Questions | None,
        levels: list[Slot],
        padding: Padding | None,
    ) -> Found:
        """Ask what padding does to the answers, and to the loss."""
        ask = self._try
        found: Found = {}
        if padding is not None:
            found["padding_by_mask"] = padding.by_mask
            if moved := ask("padding", whatif.padding_moves, padding):
                found["padding_moves"], found["padding_only"] = moved
            if questions is not None:
                targets = [questions.part.values[slot] for slot in questions.targets]
                texts = [ask("padded", whatif.padding_of, padding, each) for each in targets]
                filled = [padding.places, *(each for each in texts if each is not None)]
                shares = [self._first("padded", questions.padded, levels, each) for each in filled]
                found["padding_in_loss"] = next((e for e in shares if e is not None), None)
        if questions is not None and found.get("padding_in_loss") is None:
            slots = questions.targets if len(questions.targets) == 1 else []
            given = [questions.part.values[slot] for slot in slots]
            texts = [ask("padded", filled_labels, whatif.inputs, each) for each in given]
            for each in (one for one in texts if one is not None):
                found["padding_in_loss"] = self._first("padded", questions.at_labels, levels, each)
        return found

    def _unmasked(self, whatif: WhatIf, questions: Questions, levels: list[Slot]) -> float | None:
        """Compute the share of a loss's slopes at words that are given as they are to be answered.

        Of texts with masked words, of which each place is held to its own label.
        """
        for slot, value in questions.held().items():
            for ids in (one for one in whatif.inputs if are_ids(one)):
                labels = table_of(value, len(ids))
                if labels is None or labels.shape != ids.shape or labels.is_floating_point():
                    continue
                places = unmasked(ids, labels)
                if places is None or not whatif.keeps_places(ids):
                    continue
                place = int(places.sum(0).argmax())
                given = (levels, slot, 1, place, len(ids))
                if self._first("place", questions.place_of, *given) == place:
                    share: float | None
                    share = self._first("unmasked", questions.at_places, levels, places)
                    return share
        return None

    def _others_move(self, questions: Questions) -> list[tuple[int, float]]:
        """Measure how far other rows move in passes before the last, each by its place among them.

        Only where an axis is that of the rows for certain.
        """
        last = self._pass.network()
        first: dict[Any, int] = {}
        for at, each in enumerate(self._passes):
            first.setdefault(each.network(), at)
        found = []
        for network, at in [*first.items()][:OTHERS]:
            if network is None or network is last:
                continue
            whatif = WhatIf(network, self._passes[at].args, self._passes[at].kwargs)
            axes = _row_axes(whatif, questions, None, is_padded=False)
            # A row by itself may as well be a place in one text.
            if len(axes) == 1 and whatif.main().ndim > 2:
                moves = whatif.rows_move(axes[0], training=False)
                found += [] if moves is None else [(at, moves)]
        return found

    def _ahead(
        self, whatif: WhatIf, questions: Questions | None, levels: list[Slot]
    ) -> tuple[Any, int, int] | None:
        """Find which input targets are ahead of, along which axis, and by how many places."""
        if questions is None:
            return None
        for target in questions.targets:
            for given in (one for one in whatif.inputs if one.ndim == 2):
                found = [*self._ahead_along(questions, levels, target, given)]
                if len(found) > 1:
                    # Labels that are the inputs are so along both axes: the model may shift them.
                    found = [each for each in found if each[1]] or found
                for axis, places in found[:1]:
                    if places is not None:
                        return given, axis, places
        return None

    def _ahead_along(
        self, questions: Questions, levels: list[Slot], target: Slot, given: Any
    ) -> Iterator[tuple[int, int | None]]:
        """Yield the axes along which a target is the input given, and how far ahead it is held."""
        value = table_of(questions.part.values[target], len(given))
        for axis in (1, 0) if value is not None else ():
            shift = self._try("ahead", places_ahead, value, given, axis)
            if shift is None:
                continue
            place, first = _counted_place(value, axis), len(given)
            trained = self._first("place", questions.place_of, levels, target, axis, place, first)
            yield axis, None if trained is None else place + shift - trained


def _counted_place(target: Any, axis: int) -> int:
    """Return the place along an axis nearest to its middle at which most labels count."""
    middle = target.shape[axis] // 2
    if target.ndim != 2 or target.is_floating_point():
        return int(middle)
    counts = (target >= 0).sum(1 - axis).tolist()
    most = max(counts)
    return min(
        (at for at, count in enumerate(counts) if count == most), key=lambda at: abs(at - middle)
    )


def _row_axes(
    whatif: WhatIf,
    questions: Questions | None,
    ahead: tuple[Any, int, int] | None,
    *,
    is_padded: bool,
) -> list[int]:
    """Return the axis of the inputs that has the rows, or both that may."""
    main = whatif.main()
    if main is None:
        return []
    if ahead is not None:
        return [1 - ahead[1]]
    if is_padded or main.ndim < 2 or whatif.has_places(main.shape[1]):
        return [0]
    shape = [*main.shape[:2]]
    if questions is not None:
        target = questions.part.values[questions.targets[0]]
        count = len(target)
        if count in shape and target.numel() // count % shape[1 - shape.index(count)]:
            # One answer for each row, and no more.
            return [shape.index(count)] if shape.count(count) == 1 else []
        return [0, 1]
    return [0] if main.is_floating_point() and main.ndim != 3 else [0, 1]
