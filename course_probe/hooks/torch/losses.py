"""Hear the losses of PyTorch: what they are given, beside what they are made for.

See https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions. The layers among them
are heard as such, the functions on the tape; of one that was heard nowhere, within a network say,
its own node in the graph tells once it goes backward. What stands last before a loss is told by the
graph of its input: `SoftmaxBackward0`, `SigmoidBackward0`, `ReluBackward0`. Only the first calls
are looked at, and seldom a later one.
"""

import functools
import math
import sys
import weakref
from collections import defaultdict
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.torch.dataloader import DataloaderHooks
from course_probe.hooks.torch.passes import PassHooks
from course_probe.hooks.torch.sequences import SequenceHooks
from course_probe.hooks.vitals import VitalsHooks
from course_probe.reading.held_out_values import floats_at_hand
from course_probe.vital_signs.data.examples import IGNORED, LabelOrder
from course_probe.vital_signs.data.loaded_labels import LoadedLabels
from course_probe.vital_signs.data.target_spread import TargetSpread
from course_probe.vital_signs.graphs import is_plainly_saved, nodes
from course_probe.vital_signs.optimization.broadcasts import PairDifferences
from course_probe.vital_signs.sequences.padded_labels import PaddedLabels

CLOSELY = 12
"""Calls of a loss that are looked at each; of the later ones every hundredth."""
SELDOM = 100
ENOUGH = 5
"""Calls after which the figures are written."""
MANY, FEWEST, MOSTLY = 8, 3, 0.9
"""Losses that are computed for one that is sent backward, how often that has to be so, and in which
share of the cases."""
LARGE = 2**20
"""Numbers of a tensor that are looked at."""
REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
LAYERS = {
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "KLDivLoss": "kl_div",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
}
"""The losses that are heard: layers of `torch.nn`, and the functions that they compute."""
SETTINGS = ("weight", "pos_weight", "ignore_index", "reduction")
"""What a layer hands on to its function."""
IN_GRAPH = {
    "MseLoss": "mse_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "NllLoss": "nll_loss",
    "BinaryCrossEntropy": "binary_cross_entropy",
    "BinaryCrossEntropyWithLogits": "binary_cross_entropy_with_logits",
}
"""Nodes that have saved what the loss was given, and its function."""
REDUCTIONS = ("none", "mean", "sum")
BEHIND = 24
"""Nodes behind what is sent backward among which its loss is looked for."""
NODES = {"MseLoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "NllLoss", "BinaryCrossEntropy"} | {
    "BinaryCrossEntropyWithLogits",
    "NllLossNd",
    "NllLoss2D",
}
"""What a loss is called in a graph, as its last operation."""
RANGES = {"Sigmoid": (0.0, 1.0), "Tanh": (-1.0, 1.0), "Relu": (0.0, math.inf)}
"""What an activation can give."""
RISING: dict[str, Callable[[float], float]] = {
    "Sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "Tanh": math.tanh,
    "Relu": lambda x: max(0.0, x),
}
"""The activations themselves: what comes in between two numbers goes out between two."""
SHAPING = (
    "Expand",
    "View",
    "Squeeze",
    "Unsqueeze",
    "Reshape",
    "UnsafeView",
    "Alias",
    "Select",
    "Slice",
)
"""Nodes of a graph that change no number: they may stand between the activation and the loss."""
ROOM = 1e-4
"""What rounding may add."""


class LossHooks:
    """What the losses of one script were given so far, as shares of the calls looked at."""

    def __init__(
        self,
        log: EventLog,
        note_loss: Callable[[], None],
        passes: PassHooks,
        dataloader: DataloaderHooks,
        vitals: VitalsHooks,
        sequences: SequenceHooks,
    ) -> None:
        self._log = log
        self._passes = passes
        self._dataloader = dataloader
        self._vitals = vitals
        self._sequences = sequences
        self._order = LabelOrder()
        self._spread = TargetSpread()
        self._labels = LoadedLabels()
        self._pairs = PairDifferences()
        self._padded = PaddedLabels()
        self._awaited: Any = None
        self._sent = self._negated = 0
        self._unheard = 0
        self._since = self._all = self._alone = self._unsent = 0
        vitals.guess_by_targets = self._spread.guess
        vitals.at_backward.append(self._note_backward)
        vitals.at_batch = self._labels.note_batch
        self._note_loss = note_loss
        self._calls: dict[str, int] = defaultdict(int)
        self._looked = 0
        self._found: dict[str, list[float]] = defaultdict(list)

    def tape_operations(self, torch: ModuleType) -> None:
        """Say which losses of `torch.nn.functional` are worth hearing, in the steps on the tape."""
        for name in LAYERS.values():
            self._passes.tape.hear(
                (torch.nn.functional,), name, functools.partial(self._note_function, name)
            )
        self._passes.losses = {
            getattr(torch.nn, kind).forward: name for kind, name in LAYERS.items()
        }
        self._passes.at_loss = self._note_layer

    def _note_layer(
        self,
        name: str,
        layer: Any,
        arguments: tuple[Any, ...],
        named: Mapping[str, Any],
        loss: Any,
    ) -> None:
        settings = {each: getattr(layer, each) for each in SETTINGS if hasattr(layer, each)}
        self._note(name, arguments, {**settings, **named}, loss)

    def _note_function(
        self, name: str, arguments: tuple[Any, ...], named: dict[str, Any], loss: Any
    ) -> None:
        if not self._passes.is_in_loss:
            self._note(name, arguments, named, loss)

    def _note(
        self, name: str, arguments: tuple[Any, ...], named: dict[str, Any], loss: Any
    ) -> None:
        """A loss has been computed."""
        both = arguments
        if len(both) < 2:
            both = (*arguments, *(named[key] for key in ("input", "target") if key in named))
        if len(both) < 2 or self._log.looking:
            return
        if not getattr(both[0], "requires_grad", False):
            noted(self._spread.note_held_out, name, loss, named)
            return
        self._note_loss()
        self._since += 1
        self._calls[name] = times = self._calls[name] + 1
        if self._order.wants_more:
            noted(self._look_at_order, both[1])
        if times > CLOSELY and times % SELDOM:
            return
        noted(self._look, name, both[0], both[1], named)
        self._awaited = weakref.ref(loss)

    def _look_at_graph(self, sent: Any) -> None:
        """A loss that nobody has heard goes backward: what has its own node saved?"""
        self._unheard += 1
        is_looked_at = self._unheard <= CLOSELY or self._unheard % SELDOM == 0
        if not is_looked_at and not self._order.wants_more:
            return
        for node in nodes(sent, BEHIND):
            name = IN_GRAPH.get(_kind(node))
            if name is not None and is_plainly_saved(node, "target"):
                break
        else:
            return
        before = node.next_functions[0][0]
        outputs, is_inner = node._saved_self, False
        if name == "nll_loss" and _kind(before) == "LogSoftmax":
            # What was put into it is not kept: its result has the same shape.
            name, outputs, before = (
                "cross_entropy",
                before._saved_result,
                before.next_functions[0][0],
            )
            is_inner = self._passes.taken.is_like_outputs(outputs)
        target = node._saved_target
        if self._order.wants_more:
            noted(self._look_at_order, target)
        if is_looked_at:
            named = {
                "reduction": REDUCTIONS[node._saved_reduction],
                "weight": getattr(node, "_saved_weight", None),
                "pos_weight": getattr(node, "_saved_pos_weight", None),
                "ignore_index": getattr(node, "_saved_ignore_index", IGNORED),
            }
            self._note_sent(sent, node)
            given = _narrow(outputs), _narrow(target)
            noted(self._look, name, *given, named, before, inside=is_inner)

    def _note_backward(self, loss: Any) -> None:
        """A loss goes backward: is it the one that was looked at, with nothing added to it?"""
        since, self._since = self._since, 0
        if not since:
            noted(self._look_at_graph, loss)
        self._all += since > 0
        if since >= MANY and not self._passes.has_graphs_aside and _is_one(loss):
            self._alone += 1
            self._unsent += since - 1
        if not self._pairs.is_full:
            batch = self._vitals.batch
            self._pairs.note(loss, batch, floats_at_hand() if batch is None else ())
        if self._awaited is not None:
            heard = self._awaited()
            self._awaited = None
            self._note_sent(loss, heard.grad_fn if heard is not None else None)

    def _note_sent(self, sent: Any, node: Any) -> None:
        """A loss that was looked at goes backward, or what was made of it."""
        last: Any = getattr(sent, "grad_fn", None)
        if node is not None and last is node:
            self._spread.note_sent()
        self._sent += 1
        is_turned = node is not None and _kind(last) == "Neg"
        self._negated += is_turned and last.next_functions[0][0] is node

    def _look(
        self,
        name: str,
        outputs: Any,
        target: Any,
        named: dict[str, Any],
        node: Any = None,
        *,
        inside: bool = False,
    ) -> None:
        """Look at one call; whatever is odd about it, the script's own loss will say.

        The `node` before it is that of the outputs, unless they are told apart.
        """
        torch = sys.modules["torch"]
        if not isinstance(target, torch.Tensor) or outputs.numel() > LARGE:
            return
        self._looked += 1
        node = outputs.grad_fn if node is None else node
        try:
            if name in ("cross_entropy", "nll_loss"):
                inside = inside or self._passes.is_inside
                self._passes.taken.note_loss(outputs, target, inside=inside)
            self._sequences.note_loss(outputs, target)
            with torch.no_grad():
                self._spread.note(name, target, named)
                self._labels.note_target(self._vitals.batch, target)
                if name in ("cross_entropy", "nll_loss"):
                    self._padded.note(target, self._sequences.ids_like(target), named)
                for figure, value in self._facts(torch, name, outputs, target, node):
                    self._found[figure].append(float(value))
        except (RuntimeError, TypeError, ValueError, IndexError):
            return
        if self._looked >= ENOUGH:
            values = {k: sum(v) / len(v) for k, v in self._found.items()}
            self._log.measure("losses", 0.1, values)

    def finish(self) -> None:
        """Write what is known of the rows: the script is over."""
        figures = {**self._spread.figures(), **self._labels.figures(), **self.early_figures()}
        if figures:
            self._log.write_figures(figures)

    def early_figures(self) -> dict[str, float]:
        """What the calls that were looked at tell by themselves, whatever comes after them."""
        figures = {**self._pairs.figures(), **self._padded.figures()}
        if self._alone >= FEWEST and self._alone > MOSTLY * self._all:
            figures["losses_unsent"] = self._unsent / (self._unsent + self._alone)
        if self._sent >= ENOUGH:
            figures["loss_negated"] = self._negated / self._sent
        return figures

    def _look_at_order(self, target: Any) -> None:
        """Count how often neighbours differ, in labels that a loader gives as they lie."""
        torch = sys.modules["torch"]
        loader = self._dataloader.current
        plain = torch.utils.data.SequentialSampler
        if type(getattr(loader, "sampler", None)) is not plain or not torch.is_tensor(target):
            return
        labels = self._vitals.labels_like(target)
        if labels is not None and self._order.add(labels):
            self._log.measure("order", 0.1, self._order.figures())

    def _facts(self, torch: Any, name: str, outputs: Any, target: Any, node: Any) -> Any:
        node = _last_node(node)
        last = _kind(node)
        if outputs.dtype == torch.float16:
            yield "half_not_finite", not bool(outputs.isfinite().all())
        if name in REGRESSION:
            yield "loss_broadcast", _is_broadcast(torch, outputs, target)
            yield "target_size", target.abs().float().mean()
            if last in RANGES:
                yield "targets_out_of_range", _share_outside(target, _reach(node))
            yield "classes_by_squares", last == "Sigmoid" and _is_of_two_classes(outputs, target)
        elif name == "cross_entropy":
            if not target.is_floating_point():
                yield "labels_ignored", (target == IGNORED).float().mean()
            yield "softmax_before_loss", last == "Softmax"
            yield "classes_behind_relu", last == "Relu"
            yield "several_labels", _has_several_labels(outputs, target)
        elif name == "binary_cross_entropy_with_logits":
            yield "softmax_before_loss", last == "Sigmoid"
            if last == "Relu":
                low, high = map(RISING["Sigmoid"], _reach(node))
                yield "targets_out_of_range", _share_outside(target, (low, high))
        elif name == "binary_cross_entropy" and last == "Sigmoid":
            yield "targets_out_of_range", _share_outside(target, _reach(node))
        elif name in ("nll_loss", "kl_div") and bool(outputs.isfinite().all()):
            # Once they are no numbers any more, they tell nothing.
            yield "not_log_probabilities", bool((outputs > ROOM).any())
        if outputs.dim() > 1 and (last == "Softmax" or name == "cross_entropy"):
            # That loss takes the softmax itself, over the second axis.
            yield "softmax_of_one", outputs.shape[-1 if last == "Softmax" else 1] == 1


def _last_node(node: Any) -> Any:
    """The node of a graph that has made a tensor's numbers, before their shape was changed."""
    for _level in range(6):
        if node is None or not node.name().startswith(SHAPING):
            return node
        node = node.next_functions[0][0] if node.next_functions else None
    return None


def _is_one(loss: Any) -> bool:
    """Whether what is sent backward is one loss of PyTorch's, with nothing added to it."""
    node = getattr(loss, "grad_fn", None)
    return node is not None and node.name().partition("Backward")[0] in NODES


def _narrow(given: Any) -> Any:
    """A tensor as it was before it was made to fit another: repeated rows or columns come once."""
    is_added = given.ndim > 1 and len(given) > 1 and not given.stride()[0]
    for axis, step in enumerate(given.stride()):
        if not step and given.shape[axis] > 1:
            given = given.detach().narrow(axis, 0, 1)
    # Of rows that are all one, the target had no axis of rows.
    return given[0] if is_added else given


def _kind(node: Any) -> str:
    """What a node has computed: `Softmax`, `Sigmoid`, `Relu` …; nothing where unknown."""
    return str(node.name().partition("Backward")[0]) if node is not None else ""


def _reach(node: Any) -> tuple[float, float]:
    """Between which numbers lies what an activation gives, of what one before it can give."""
    kind = _kind(node)
    if kind not in RANGES:
        return -math.inf, math.inf
    low, high = RANGES[kind]
    before = _last_node(node.next_functions[0][0]) if node.next_functions else None
    inner = _reach(before)
    rising = RISING[kind]
    return (
        low if inner[0] == -math.inf else rising(inner[0]),
        high if inner[1] == math.inf else rising(inner[1]),
    )


def _share_outside(target: Any, reach: tuple[float, float]) -> float:
    """The share of targets that lie where nothing can be reached."""
    low, high = reach
    return float(((target < low - ROOM) | (target > high + ROOM)).float().mean())


def _is_broadcast(torch: Any, outputs: Any, target: Any) -> bool:
    """Whether two shapes make a larger one together: every output against every target.

    Or the outputs are already so, of each row with each, and the targets are one for a row.
    """
    if outputs.shape == target.shape:
        return False
    if target.ndim == 1 and outputs.shape == (len(target), len(target)) and len(target) > 1:
        return True
    both = torch.broadcast_shapes(outputs.shape, target.shape)
    size = 1
    for each in both:
        size *= each
    return bool(size > max(outputs.numel(), target.numel()))


def _is_of_two_classes(outputs: Any, target: Any) -> bool:
    """Whether each row has one number to hit, 0 in some and 1 in the others."""
    if target.numel() != len(target) or outputs.shape != target.shape:
        return False
    ones = int((target == 1).sum())
    return 0 < ones < len(target) and ones + int((target == 0).sum()) == len(target)


def _has_several_labels(outputs: Any, target: Any) -> bool:
    """Whether rows of zeros and ones have more than a single one: labels that hold at once."""
    if not target.is_floating_point() or target.shape != outputs.shape or target.dim() != 2:
        return False
    is_hot = bool(((target == 0) | (target == 1)).all())
    return is_hot and float((target.sum(-1) > 1.5).float().mean()) > 0.1
