"""The ledger of a training: passes, backwards, steps and evaluations, as they come.

An ordinary step asks no device for anything: numbers are kept where they are, and read together at
the few steps that are looked at. What was passed belongs to the loss that reaches it, which its
graph tells; nothing is taken from which loader ran last, or what a name says.
"""

import gc
import math
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from course_probe.ledger.choices import AnswerCount, KnownChoice, KnownScore
from course_probe.ledger.gradients import Audit, AuditedStep, Graph, told, walk
from course_probe.ledger.kept_graphs import WATCHED, KeptGraphs
from course_probe.ledger.rows import RowStore, Sample, inputs_of, sample_of
from course_probe.ledger.schedules import KnownSchedule, known_schedule
from course_probe.ledger.studies import Studies
from course_probe.ledger.takeovers import HeldWeights, Takeover
from course_probe.replay.drawn import (
    as_drawn,
    drawn_among,
    frozen_as_drawn,
    frozen_copies,
    is_drawn_table,
    new_head,
)
from course_probe.replay.places import places
from course_probe.replay.steps import ComingStep
from course_probe.vital_signs.series import Spread

FIRST = (1, 2, 3, 10, 20, 50, 100, 200, 500)
EVERY = 500
"""Backwards that are looked at: these, and then one of so many."""
TRAININGS = 8
"""Optimizers whose first steps are looked at."""
LONGEST = 64
"""Backwards that one look may take, where no step follows."""
WAIT = 4
"""Backwards after which a pass that none of them has reached is none of a training."""
SERIES = 400
"""Values of a series that are kept."""
CHUNK = 256
"""Losses that wait one by one; more of them are put together."""
FEW_STEPS = 3
"""Steps after which an optimizer that is replaced by its like was never meant to last."""
MOST = 64
"""Networks, lines, optimizers and groups of passes that are told apart, each."""
MOST_PENDING = 4096
SIZES = 3
"""Sizes of batches that are told apart: a loader has two, its own and that of the last batch."""
LOOSE_AFTER = 3
"""Steps after which an optimizer that has not stepped is not about to."""
NAMED = 3
"""Parameters without an optimizer whose name is kept; of what no module holds, the shape."""
ROUNDING = 1e-3
"""How far, of its length, a gradient may be off and still be the same."""
OUTPUTS = 8
"""Outputs of a pass that a loss may reach it by."""


@dataclass(slots=True)
class Pass:
    """One outermost pass of a network; what it was given is held during a look, and let go then."""

    network: Callable[[], Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    outputs: Any
    training: bool


@dataclass
class WatchedCopy:
    """A part of a network that is a frozen copy of a trained one: whether it was ever changed."""

    weight: Callable[[], Any]
    begun: Any
    looks: int = 0
    drifts: int = 0


@dataclass
class KnownNetwork:
    """A network that was called: whether the loss of a pass has reached it, and what is in it."""

    number: int
    kind: str
    module: Callable[[], Any]
    tensors: int
    numbers: int
    dropouts: list[Callable[[], Any]]
    norms: list[Callable[[], Any]]
    some: list[Callable[[], Any]]
    recurrent: int = 0
    shared: int = 0
    momentum: float = 0.0
    turn: int = 0
    reached: bool = False
    held: bool = False
    frozen: int = 0
    thawed: bool = False
    drawn: int | None = None
    fresh: int = 0
    unfrozen: int = 0
    kept: Any = None
    begun: Any = None
    begun_drawn: int = 0
    drift_looks: int = 0
    drifts: int = 0
    copies: list[WatchedCopy] | None = None

    @property
    def is_still(self) -> bool:
        """Whether a network that was only asked had the same weights at each look."""
        return self.drift_looks > 1 and not self.drifts and not self.reached


@dataclass
class PassGroup:
    """Passes of one network at one line, of one mode, with or without gradients, of such inputs."""

    owner: KnownNetwork
    line: int
    training: bool
    grad: bool
    names: tuple[str, ...]
    shapes: list[list[int]] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    reached: int = 0
    reached_rows: int = 0
    sizes: set[int] = field(default_factory=set)
    aside: int = 0
    aside_rows: int = 0
    graphs: int = 0
    stretches: int = 0
    last_stretch: int = -1
    in_stretch: int = 0
    usual: int = 0
    first: int = 0
    last: int = 0
    dropping: int = 0
    norming: int = 0
    modes: int = 0
    reached_by: dict[int, bool | None] = field(default_factory=dict)


@dataclass
class LossLine:
    """What is sent backward at one line."""

    line: int
    count: int = 0
    not_finite: int = 0
    first_not_finite: int = 0
    series: Spread = field(default_factory=lambda: Spread(SERIES))
    leaves: int = 0
    loose: int = 0
    unregistered: int = 0
    unstepped: int = 0
    drawn: int = 0
    others: int = 0
    ahead: bool = False
    loose_names: list[str] = field(default_factory=list)
    looks: int = 0
    hand_looks: int = 0
    hand_moved: int = 0
    drifts: int = 0
    begin: list[float] = field(default_factory=list)
    graphs: KeptGraphs = field(default_factory=KeptGraphs)


@dataclass
class KnownOptimizer:
    """One that steps: its rates, what it holds, and how often no loss was sent backward before.

    Beside a schedule, `base` is the rate that it was made with, and 0 without one. Its `decay` is
    the share of each weight that a step takes away, where that is least. Where it is `renewed`,
    another took its place after a few steps, which knows nothing of the gradients before. One that
    is `resumed` knew of some at its first step.
    """

    number: int
    kind: str
    line: int
    itself: Callable[[], Any]
    steps: int = 0
    renewed: int = 0
    renewed_at: int = 0
    resumed: bool = False
    idle: int = 0
    closures: int = 0
    climbs: bool = False
    rates: Spread = field(default_factory=lambda: Spread(SERIES))
    base: float = 0.0
    decay: float = math.inf
    held: set[int] = field(default_factory=set)
    tensors: int = 0
    groups: int = 0
    without: int = 0
    loose: int = 0
    looks: int = 0
    at: int = -1
    is_begun: bool = False
    weights: HeldWeights | None = None


@dataclass
class KnownLoad:
    """Weights that are loaded at one line: how often, and how often its own, or none that fit."""

    kind: str
    times: int = 0
    own: int = 0
    unfit: int = 0


@dataclass(slots=True)
class _Pending:
    """A pass of which it is not known yet whether a loss reaches it."""

    group: PassGroup
    sequences: tuple[int, ...]
    sample: Sample
    rows: int
    at: int


class Ledger:
    """All that is heard of one script; `studies` are asked about few passes, if there are any."""

    def __init__(
        self,
        studies: Studies | None = None,
        write: Callable[[], object] | None = None,
        tell: Callable[[int, int], object] | None = None,
    ) -> None:
        self._studies = studies
        self._write = write
        self._tell = tell
        self._planned = 0
        self.networks: dict[int, KnownNetwork] = {}
        self.groups: dict[tuple[Any, ...], PassGroup] = {}
        self.losses: dict[int, LossLine] = {}
        self.optimizers: dict[int, KnownOptimizer] = {}
        self.rows = RowStore()
        self.gradients: list[dict[str, Any]] = []
        # Others hold what the known ones do not.
        self._has_more_optimizers = False
        self.backwards = self.steps = 0
        # Gradients that the script has taken without sending a loss backward.
        self.asked = 0
        self._last: LossLine | None = None
        self.looking = True
        self.is_awaited = False
        self._due = 1
        self._base = 0
        self._began = 0
        self._audit = Audit()
        self._steps: list[tuple[AuditedStep, list[Any]]] = []
        self._pending: deque[_Pending] = deque()
        self._held: list[Pass] = []
        self._since_step = 0
        self._stepped: set[int] = set()
        self._before: set[int] = set()
        self._early: set[int] = set()
        self._values: list[tuple[LossLine, int, Any, int]] = []
        self._chunks: list[tuple[list[tuple[LossLine, int]], Any]] = []
        self._loose: dict[int, tuple[Callable[[], Any], Any]] = {}
        self._drifts: list[tuple[LossLine | KnownNetwork | WatchedCopy, Any]] = []
        self._leaves: dict[int, list[Callable[[], Any]]] = {}
        self._unheld: dict[int, list[Callable[[], Any]]] = {}
        self._others: list[Callable[[], Any]] = []
        self._told_at = FIRST[2]
        self._is_answered = False
        self._sought: set[int] = set()
        self.schedules: dict[int, KnownSchedule] = {}
        self.loads: dict[int, KnownLoad] = {}
        self._unfit: dict[int, tuple[Callable[[], Any], KnownLoad]] = {}
        self.takeovers: list[Takeover] = []
        self.choices: dict[str, KnownChoice] = {}
        self.said: dict[str, KnownScore] = {}
        self.counting: AnswerCount | None = None
        # Processes of its own that the script has had at a time.
        self.workers = 0
        self.kin: dict[tuple[int, int], tuple[float, int, bool]] = {}
        self._kin: list[tuple[tuple[int, int], int, Any, Any]] = []

    @property
    def studies(self) -> list[dict[str, Any]]:
        """What was found by studies."""
        return [] if self._studies is None else self._studies.found

    # Passes.

    def begin_pass(self, module: Any) -> None:
        """Note that a network is about to be called; look for parameters changed by hand."""
        if self.looking and self._since_step and not self.steps:
            self._note_hand()
        if self._studies is not None:
            self._studies.begin_step(module, self.backwards + 1 - self._base)
            self.is_awaited = False

    def end_pass(
        self,
        module: Any,
        arguments: tuple[Any, ...],
        named: Mapping[str, Any],
        outputs: Any,
        line: int,
        *,
        grad: bool,
    ) -> None:
        """Note that a network was called, by itself: nothing around it is one."""
        network = self.networks.get(id(module))
        if network is None or network.module() is not module:
            network = self._meet(module)
            if network is None:
                return
        if not network.tensors:
            return
        inputs = inputs_of(arguments, named)
        names = tuple([name for name, _value in inputs])
        key = (network.number, line, module.training, grad, names)
        group = self.groups.get(key)
        if group is None:
            if len(self.groups) >= MOST:
                return
            group = self.groups[key] = PassGroup(network, *key[1:])
            group.first = self.backwards
            group.shapes = [list(value.shape) for _name, value in inputs]
            group.kinds = [str(value.dtype).removeprefix("torch.") for _name, value in inputs]
        group.last = self.backwards
        owner = (network.number, network.turn)
        # Of a line whose passes are all trained with, few are looked at once all rows are known.
        is_trained = grad and group.reached and not group.aside and len(self._pending) < WAIT
        is_seldom = is_trained and not self.rows.is_looked_at(owner)
        sample = [] if is_seldom else sample_of(inputs)
        rows = inputs[0][1].shape[0] if inputs else 0
        if self.looking or not (grad or self.backwards == group.last_stretch):
            group.modes += 1
            group.dropping += any(_trains(each) for each in network.dropouts)
            group.norming += any(_trains(each) for each in network.norms)
        if not grad:
            if self.counting is not None:
                self.counting.add(named, outputs)
            self._note_aside(group, rows, sample, self.backwards)
            self._study_evaluation(group, module, arguments, named, outputs)
            return
        if self.looking and len(self._held) < LONGEST:
            held = Pass(network.module, arguments, named, outputs, module.training)
            self._held.append(held)
        numbers = _sequences(outputs)
        self._pending.append(_Pending(group, numbers, sample, rows, self.backwards))
        if len(self._pending) > MOST_PENDING:
            self._let_go(self._pending.popleft())

    def _meet(self, module: Any) -> KnownNetwork | None:
        if len(self.networks) >= MOST:
            gone = [key for key, each in self.networks.items() if each.module() is None]
            if len(self.networks) - len(gone) >= MOST:
                return None
        parameters = list(module.parameters())
        torch = sys.modules["torch"]
        dropouts: list[Callable[[], Any]] = []
        norms: list[Callable[[], Any]] = []
        kinds = torch.nn.modules
        for each in module.modules() if parameters else ():
            share = each.p if isinstance(each, kinds.dropout._DropoutNd) else _dropout_of(each)
            if share:
                dropouts.append(weakref.ref(each))
            elif isinstance(each, kinds.batchnorm._BatchNorm) and each.running_mean is not None:
                norms.append(weakref.ref(each))
        some = parameters[:: -(-len(parameters) // 8) or 1]
        known = [p.numel() for p in parameters if not _is_lazy(p)]
        network = KnownNetwork(
            len(self.networks) + 1,
            type(module).__name__,
            weakref.ref(module),
            len(parameters),
            sum(known),
            dropouts[:MOST],
            norms[:MOST],
            [weakref.ref(p) for p in some],
            sum(isinstance(each, torch.nn.RNNBase) for each in module.modules()),
            _held_again(module),
        )
        network.fresh = new_head(module)
        old = self.networks.pop(id(module), None)
        if old is not None:
            # Another one lay where this one lies.
            self.networks[-old.number] = old
        self.networks[id(module)] = network
        return network

    def _note_aside(self, group: PassGroup, rows: int, sample: Sample, at: int) -> None:
        group.aside += 1
        group.aside_rows += rows
        if at != group.last_stretch:
            group.last_stretch = at
            group.stretches += 1
            group.usual, group.in_stretch = group.in_stretch, 0
            # The first, second, fourth and so on: a teacher is asked beside each step.
            is_told = not group.stretches & (group.stretches - 1)
            self._is_answered |= is_told and self._write is not None and self.backwards > 0
        group.in_stretch += 1
        network = group.owner
        is_new = group.aside == 1 or network.begun is None
        if is_new and self.steps and not network.reached:
            self._compare(network)
        key = (network.number, group.line, group.training, group.grad, group.names)
        self.rows.note((network.number, network.turn), key, at, sample)

    def _let_go(self, pending: _Pending) -> None:
        # What gradients the script asks for itself may be of any pass.
        pending.group.graphs += bool(pending.sequences) and not self.asked
        self._note_aside(pending.group, pending.rows, pending.sample, pending.at)

    # Losses.

    def begin_backward(self, root: Any, line: int) -> None:
        """Note that a loss is about to be sent backward."""
        if self.is_awaited and self._studies is not None:
            self._studies.end_evaluation()
            self.is_awaited = False
        if self._is_answered and not self._steps:
            # An evaluation is over: what it tells is told before the training goes on.
            self._tell_if_due()
        if self.looking and self._since_step and not self.steps:
            self._note_hand()
        # The pass of a step that is looked at begins before it; a step by hand is told by none.
        elif not (self.looking or self.steps) and self.backwards + 2 >= self._due:
            self._begin_look()
        self.backwards += 1
        self._since_step += 1
        loss = self.losses.get(line)
        if loss is None:
            if len(self.losses) >= MOST:
                return
            loss = self.losses[line] = LossLine(line)
        loss.count += 1
        if loss.count <= WATCHED:
            loss.graphs.note(root)
        self._last = loss
        if not root.ndim or root.numel() == 1:
            value = root.detach() if _lasts(root) else root.detach().clone()
            self._values.append((loss, self.backwards, value, value._version))
            if len(self._values) > CHUNK:
                self._stack()
        if self.looking:
            self._look_back(root, loss)
        elif self._pending:
            self._settle(root, loss)

    def _look_back(self, root: Any, loss: LossLine) -> None:
        """Look at the graph of a loss, and at gradients before it is sent."""
        graph = walk(root, self._sequences())
        loss.looks += 1
        self._sort(loss, graph)
        self._audit.begin_backward(graph.leaves)
        kept = self._kept(graph.others)
        loss.others = len(graph.others) - len(kept)
        leaves = [*graph.leaves, *kept]
        self._leaves[loss.line] = [weakref.ref(leaf) for leaf in leaves]
        if self._studies is not None and self._held:
            places = [self._place("step", each, loss.line) for each in self._held]
            self._studies.ask_step(places, self._held, root, self._coming(graph.leaves))

    def _kept(self, others: list[Any]) -> list[Any]:
        """Those of these tensors that a network has had since an earlier look.

        What it is given may be kept in it as well, until the next pass.
        """
        modules = [m for each in self.networks.values() if (m := each.module()) is not None]
        own = {id(each) for module in modules if others for each in _tensors_of(module)}
        kept = [each for each in others if id(each) in own]
        known = {id(each) for one in self._others if (each := one()) is not None}
        self._others = [weakref.ref(each) for each in kept]
        return [each for each in kept if id(each) in known]

    def _coming(self, leaves: list[Any]) -> ComingStep | None:
        """Return the coming step, where one optimizer has these leaves and steps each backward."""
        ids = {id(each) for each in leaves}
        known = [each for each in self.optimizers.values() if not ids.isdisjoint(each.held)]
        optimizer = known[0].itself() if len(known) == 1 else None
        if optimizer is None or known[0].closures or self._since_step != 1:
            return None
        before = [each for each in self.gradients if each["optimizer"] == known[0].number]
        lengths = [(each["norm"], each["added"]) for each in before]
        is_longer = any(norm > (1 + ROUNDING) * added for norm, added in lengths)
        if not before or is_longer or any(each["backwards"] != 1 for each in before):
            return None
        cut = [norm for norm, added in lengths if norm < (1 - ROUNDING) * added]
        return ComingStep(optimizer, self._audit.watched(), max(cut, default=math.inf))

    def end_backward(self) -> None:
        """Look at the gradients after a loss was sent backward; called in a look only."""
        self._audit.end_backward()
        if self._studies is not None:
            self._studies.rest()
        if self.backwards - self._began >= LONGEST:
            self._end_look()

    def _settle(self, root: Any, loss: LossLine) -> None:
        """Say of the passes before a loss whether it reaches them, as it was when it was looked."""
        if len(self._pending) == 1 and self._pending[0].group.reached_by.get(loss.line):
            self._reach(self._pending.popleft())
        elif all(p.group.reached_by.get(loss.line) is not None for p in self._pending):
            self._sort(loss, None)
        else:
            self._sort(loss, walk(root, self._sequences()))

    def _sequences(self) -> list[int]:
        return [number for pending in self._pending for number in pending.sequences]

    def _sort(self, loss: LossLine, graph: Graph | None) -> None:
        kept: deque[_Pending] = deque()
        met = set[int]()
        for pending in self._pending:
            known = pending.group.reached_by
            if graph is None:
                is_reached = bool(known[loss.line])
            else:
                is_reached = not graph.passes.isdisjoint(pending.sequences)
                if graph.whole:
                    # While some of such passes are reached, and others not, each loss is looked at.
                    same = id(known) not in met or known[loss.line] is is_reached
                    known[loss.line] = is_reached if same else None
                    met.add(id(known))
            if is_reached:
                self._reach(pending)
            elif self.backwards - pending.at > WAIT:
                self._let_go(pending)
            else:
                kept.append(pending)
        self._pending = kept

    def _reach(self, pending: _Pending) -> None:
        group, network = pending.group, pending.group.owner
        group.reached += 1
        network.reached = True
        group.reached_rows += pending.rows
        if len(group.sizes) < SIZES:
            group.sizes.add(pending.rows)
        owner = (network.number, network.turn)
        self.rows.count(owner, pending.rows)
        if pending.sample:
            self.rows.note(owner, None, pending.at, pending.sample)

    def _stack(self) -> None:
        """Put losses together, where they are; those of another device or kind by themselves."""
        values, self._values = self._values, []
        if not values:  # Torch may not even have been imported.
            return
        torch = sys.modules["torch"]
        by: dict[Any, list[tuple[LossLine, int, Any]]] = {}
        for loss, at, value, version in values:
            # What the script has changed since is not measured.
            if value._version == version:
                kind = (value.device, value.dtype, value.ndim)
                by.setdefault(kind, []).append((loss, at, value))
        for some in by.values():
            tensor = _wide(torch.stack([value for *_who, value in some]).reshape(-1))
            self._chunks.append(([(loss, at) for loss, at, _value in some], tensor))

    # Steps.

    def begin_step(self, optimizer: Any, line: Callable[[], int], *, closure: bool) -> None:
        """Note that an optimizer is about to step, where more than its rate is looked at."""
        if self.looking and self._studies is not None:
            self._studies.rest()
        known = self.optimizers.get(id(optimizer))
        if known is None or known.itself() is not optimizer:
            known = self._meet_optimizer(optimizer, line())
            if known is None:
                return
        self._count_step(known, optimizer, closure=closure)
        known.is_begun = True
        if self.looking and not closure:
            groups = optimizer.param_groups
            known.held = {id(p) for g in groups for p in g["params"]}
            known.tensors = len(known.held)
            known.base = max(0.0, *(_rate(group, "initial_lr") for group in groups))
            decay = max(_rate(each) * _rate(each, "weight_decay") for each in groups)
            known.decay = min(known.decay, max(0.0, decay))
            known.looks += 1
            parameters = [p for g in groups for p in g["params"]]
            known.without += sum(p.requires_grad and p.grad is None for p in parameters)
            kind = _kind(known, self._since_step)
            self._steps.append((self._audit.at_step(known.held, kind), []))

    def _count_step(self, known: KnownOptimizer, optimizer: Any, *, closure: bool) -> None:
        """Count a step, and take its rate."""
        self.steps += 1
        known.steps += 1
        known.closures += closure
        now = self.backwards + self.asked
        if known.at == now:
            known.idle += not closure
        known.at = now
        groups = optimizer.param_groups
        if len(groups) != known.groups:
            known.groups = len(groups)
            known.climbs = any(group.get("maximize") for group in groups)
            known.held = {id(p) for group in groups for p in group["params"]}
            for at, loose in self._unheld.items():
                found = [each for each in loose if id(each()) not in known.held]
                self._unheld[at], self.losses[at].loose = found, len(found)
        rate = _rate(groups[0]) if len(groups) == 1 else max(map(_rate, groups), default=-1.0)
        if rate >= 0:
            known.rates.append((self.backwards, rate))

    def _meet_optimizer(self, optimizer: Any, line: int) -> KnownOptimizer | None:
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        again = [each for each in self.optimizers.values() if held & each.held]
        kind = type(optimizer).__name__
        for key, each in self.optimizers.items():
            is_same = (each.line, each.kind, each.held) == (line, kind, held)
            few = each.steps - each.renewed_at <= FEW_STEPS
            if is_same and few and each.itself() is None:
                each.itself, each.renewed_at = weakref.ref(optimizer), each.steps
                groups = optimizer.param_groups
                each.renewed += any(group.get("momentum") or "betas" in group for group in groups)
                self.optimizers[id(optimizer)] = self.optimizers.pop(key)
                return each
        if len(self.optimizers) >= MOST:
            self._has_more_optimizers = True
            self._unheld.clear()
            for loss in self.losses.values():
                loss.loose = 0
            return None
        number = len(self.optimizers) + 1
        known = KnownOptimizer(number, kind, line, weakref.ref(optimizer))
        known.held = held
        known.tensors = len(held)
        known.weights = HeldWeights(optimizer)
        known.resumed = bool(getattr(optimizer, "state", None))
        if number <= TRAININGS:
            # Whatever was trained before, its first steps are looked at.
            self._base = self.backwards - 1
            self._due = min(self._due, self.backwards + 1)
        if again:
            # A training begins anew, with weights that may be as they were: rows are counted anew.
            before = max(again, key=lambda each: each.number)
            left = before.weights.left_to(held) if before.weights is not None else None
            mine = []
            for network in self.networks.values():
                parts = [part() for part in network.some]
                if any(id(part) in held for part in parts if part is not None):
                    network.turn += 1
                    mine.append(network.number)
                    if left is not None:
                        owner = (network.number, network.turn)
                        self.rows.go_on(owner, (network.number, network.turn - 1))
            if left is not None:
                self.takeovers.append(Takeover(mine, before, before.steps, left))
        old = self.optimizers.pop(id(optimizer), None)
        if old is not None:
            self.optimizers[-old.number] = old
        self.optimizers[id(optimizer)] = known
        return known

    def note_schedule(self, schedule: Any, place: Any = None) -> None:
        """Note that a schedule is about to be called; it may be told its `place`, its own epoch."""
        known = self.schedules.get(id(schedule))
        if known is None or known.itself() is not schedule:
            if len(self.schedules) >= MOST:
                return
            known = self.schedules[id(schedule)] = known_schedule(schedule)
            self._planned = max(self._planned, known.length)
        known.calls = known.calls + 1 if place is None else int(place)
        optimizer = self.optimizers.get(id(schedule.optimizer))
        known.steps = optimizer.steps if optimizer is not None else 0
        if known.calls == 0:
            known.begun_at = known.steps

    def note_load(self, module: Any, given: Mapping[str, Any], line: int) -> None:
        """Note whether the weights that a network is about to be given are its own, uncopied."""
        own = {name: _address(p) for name, p in module.named_parameters()}
        both = [0 < own[name] == _address(p) for name, p in given.items() if name in own]
        # What no optimizer has moved is as it was, with a copy or without.
        held = set[int]().union(*(each.held for each in self.optimizers.values() if each.steps))
        is_moved = any(id(each) in held for each in module.parameters())
        if both and is_moved and (line in self.loads or len(self.loads) < MOST):
            load = self.loads.setdefault(line, KnownLoad(type(module).__name__))
            load.times += 1
            load.own += all(both)

    def note_fit(self, module: Any, given: Mapping[str, Any], left: Any, line: int) -> None:
        """Note whether none of the weights that a network was given fits it."""
        is_unfit = bool(given) and len(left.unexpected_keys) == len(given)
        before = self._unfit.pop(id(module), None)
        if before is not None and before[0]() is module and not is_unfit:
            before[1].unfit -= 1
        if is_unfit and left.missing_keys and (line in self.loads or len(self.loads) < MOST):
            load = self.loads.setdefault(line, KnownLoad(type(module).__name__))
            load.unfit += 1
            self._unfit[id(module)] = (weakref.ref(module), load)

    def end_step(self, optimizer: Any) -> None:
        """Note that an optimizer has stepped; end the look after the last one that is to step."""
        known = self.optimizers.get(id(optimizer))
        if known is not None:
            if not known.is_begun:
                self._count_step(known, optimizer, closure=False)
            known.is_begun = False
        if self._tell is not None and self.steps <= self._planned:
            # Only a schedule knows how many steps there are to be.
            self._tell(self.steps, self._planned)
        since, self._since_step = self._since_step, 0
        if known is not None and known.weights is not None:
            known.weights.note_step()
        if not self.looking:
            if self.backwards + 1 >= self._due:
                self._begin_look()
            return
        if known is None:
            return
        if known.closures == known.steps:
            # The losses of such a step are sent within it; how far it goes is not known.
            self._steps.append((self._audit.at_step(known.held, _kind(known, since)), []))
        elif self._steps and self._steps[-1][0].kind.get("optimizer") == known.number:
            self._steps[-1][1].extend(self._audit.moved(known.held))
        if self.backwards == self._began and self._before and known.number not in self._early:
            # Its loss was sent before the look began: it shares that with an optimizer before it.
            self._before.add(known.number)
            self._early.add(known.number)
            self._steps.clear()
            self._tell_if_due()
            return
        is_again = known.number in self._stepped
        self._stepped.add(known.number)
        if is_again or self._stepped >= self._before:
            self._end_look()

    def _note_hand(self) -> None:
        """Look at parameters that no optimizer holds: were they changed since the last backward?"""
        moved = self._audit.moved(None)
        if moved and self._last is not None:
            kind: dict[str, Any] = {"step": self.backwards, "optimizer": 0}
            kind["backwards"] = self._since_step
            step = self._audit.at_step(None, kind)
            step.loss = self._last
            self._steps.append((step, moved))
        self._since_step = 0
        self._end_look()

    # Looks.

    def _begin_look(self) -> None:
        self.looking = True
        self.workers = max(self.workers, children())
        self._began = self.backwards
        self._stepped = set()

    def _end_look(self) -> None:
        """Read what is to be read, and let go of what was held for it."""
        self._look_at_holders()
        self.read()
        self._before = self._stepped or self._before
        self._stepped, self._early = set(), set()
        self._held.clear()
        self._audit.forget()
        self._due = self._base + _next(self.backwards - self._base)
        self.looking = self.backwards + 1 >= self._due
        self._began = self.backwards
        self._tell_if_due()

    def _tell_if_due(self) -> None:
        """Have all be written that is known: after an evaluation, or after some steps."""
        done = max(self.backwards, self.steps)
        if self._is_answered or done >= self._told_at:
            self._is_answered = False
            self._told_at = next((each for each in FIRST if each > done), 2 * done)
            if self._write is not None:
                self.read()
                self._write()

    def _look_at_holders(self) -> None:
        """Say which parameters that a loss reaches no optimizer holds, as long as they are there.

        Places of such are kept until the next look: the script may change them itself.
        """
        if self._has_more_optimizers:
            self._leaves.clear()
            return
        alive = [each for each in self.optimizers.values() if each.itself() is not None]
        held: set[int] = set().union(*(each.held for each in alive))
        trained = self._look_at_networks(held)
        for line, references in self._leaves.items() if self.steps else ():
            loss = self.losses[line]
            found = [each for each in (reference() for reference in references) if each is not None]
            # A loss that reaches nothing of what is trained now is not meant for that alone.
            done = trained if any(id(each) in held for each in found) else set()
            loose = [each for each in found if id(each) not in held | done]
            self._unheld[line] = [weakref.ref(each) for each in loose]
            loss.leaves, loss.loose = len(found), len(loose)
            for each in alive:
                if each.number in self._stepped:
                    each.loose = max(each.loose, len(loose))
            if loose and self.steps >= LOOSE_AFTER and line not in self._sought:
                self._sought.add(line)
                self._look_for_owners(loss, loose, held)
            for parameter in (loose[0], loose[-1]) if loose else ():
                before = self._loose.get(id(parameter))
                now = places(parameter)
                if before is not None and before[0]() is parameter:
                    self._drifts.append((loss, (now - before[1]).norm()))
                if len(self._loose) < MOST:
                    self._loose[id(parameter)] = (weakref.ref(parameter), now)
        self._leaves.clear()

    def _look_at_networks(self, held: set[int]) -> set[int]:
        """Say what of each network is frozen, and whether optimizers hold any of it.

        The parameters of those that were trained before are returned: who trains others behind them
        now may mean that they stay as they are.
        """
        trained: set[int] = set()
        for network in self.networks.values():
            module = network.module()
            if module is None:
                continue
            self._look_at_asked(network)
            self._look_at_copies(network, module)
            mine = {id(p) for p in module.parameters()}
            trained |= mine if network.held and mine.isdisjoint(held) else set()
            network.held |= not mine.isdisjoint(held)
            widest = _widest(network) if network.reached else None
            network.kept = places(widest) if widest is not None else None
            fixed = (p for p in module.parameters() if not p.requires_grad)
            frozen = sum(p.numel() for p in fixed if not _is_lazy(p))
            network.thawed |= frozen < network.frozen
            network.frozen = frozen
            network.unfrozen = max(network.unfrozen, _unfrozen(module, held))
            # Some raise or lower it as the training goes on.
            network.momentum = max(map(_momentum, network.norms), default=0.0)
            if network.drawn is None and network.reached and 2 * frozen > network.numbers:
                network.drawn = frozen_as_drawn(module)
        return trained

    def _look_at_copies(self, network: KnownNetwork, module: Any) -> None:
        """Note which frozen copies a trained network holds, and whether they are changed."""
        if network.copies is None and network.reached:
            network.copies = [WatchedCopy(weakref.ref(p), places(p)) for p in frozen_copies(module)]
        for each in network.copies or ():
            if (weight := each.weight()) is not None:
                each.looks += 1
                self._drifts.append((each, (places(weight) - each.begun).norm()))

    def _look_at_asked(self, network: KnownNetwork) -> None:
        """Note whether a network that is only asked has other weights than when it was compared."""
        now = None if network.begun is None or network.reached else _widest(network)
        if now is not None and (now := places(now)).shape == network.begun.shape:
            network.drift_looks += 1
            self._drifts.append((network, (now - network.begun).norm()))

    def _look_for_owners(self, loss: LossLine, loose: list[Any], stepped: set[int]) -> None:
        """Say what parameters that no stepping optimizer holds belong to: once, as all is searched.

        A network that was called, or none; an optimizer that never steps, or none. All of them may
        lie ahead of those that are `stepped`: then only the last layers are trained.
        """
        modules = [m for each in self.networks.values() if (m := each.module()) is not None]
        registered = {id(p) for each in modules for p in (*each.parameters(), *_tensors_of(each))}
        loss.unregistered = sum(id(each) not in registered for each in loose)
        shapes = {id(each): f"{[*each.shape]}" for each in loose}
        called = [(id(p), name) for each in modules for name, p in each.named_parameters()]
        names = {key: name for key, name in called if key in shapes}
        loss.loose_names = [*(names | (shapes | names)).values()][:NAMED]
        # What is no longer frozen is to be trained.
        some = [each.module() for each in self.networks.values() if not each.thawed]
        loss.ahead = any(_are_ahead(loose, stepped, one) for one in some if one is not None)
        kind = sys.modules["torch"].optim.Optimizer
        idle = [each for each in gc.get_objects() if issubclass(type(each), kind)]
        # One whose making has failed has no groups.
        groups = (group for each in idle for group in getattr(each, "param_groups", ()))
        held = {id(p) for group in groups for p in group["params"]}
        loss.unstepped = sum(id(each) in held for each in loose)
        ids = {id(each) for each in loose}
        mine = [p for each in modules for p in each.parameters() if id(p) in stepped]
        loss.drawn = max((drawn_among(each, ids, mine) for each in modules), default=0)

    def read(self) -> None:
        """Read all numbers that wait: one wait for those of each kind and device."""
        if "torch" not in sys.modules:
            # A script that trains nothing has no numbers, and nothing to stack them with.
            return
        self._stack()
        chunks, self._chunks = self._chunks, []
        steps, self._steps = self._steps, []
        tensors = [chunk for _who, chunk in chunks]
        tensors += [_stacked([*step.numbers, *moved]) for step, moved in steps]
        drifts, self._drifts = self._drifts, []
        kin, self._kin = self._kin, []
        tensors.append(_stacked([cosine for *_who, cosine, _places in kin]))
        tensors.append(_stacked([places for *_who, places in kin]))
        taken = [each for each in self.takeovers if not isinstance(each.numbers, list)]
        tensors += [_wide(each.numbers) for each in taken]
        floats = _read([*tensors, _stacked([drift for _of, drift in drifts])])
        for (drifted, _drift), value in zip(drifts, floats.pop(), strict=True):
            drifted.drifts += value > 0
        for each in reversed(taken):
            each.numbers = floats.pop()
        moved, alike = floats.pop(), floats.pop()
        for (key, numbers, *_), value, place in zip(kin, alike, moved, strict=True):
            self.kin[key] = (value, numbers, place == 0)
        for (whose, _chunk), values in zip(chunks, floats, strict=False):
            for (loss, at), value in zip(whose, values, strict=True):
                self._take_loss(loss, at, value)
        for (step, _moved), values in zip(steps, floats[len(chunks) :], strict=True):
            self._take_step(step, values)
        self.rows.take(_read(self.rows.pending()))

    def _take_loss(self, loss: LossLine, at: int, value: float) -> None:
        if value - value != 0:
            loss.not_finite += 1
            loss.first_not_finite = loss.first_not_finite or at
        elif len(loss.begin) < SERIES // 10:
            loss.begin.append(value)
        loss.series.append((at, value))

    def _take_step(self, step: AuditedStep, values: list[float]) -> None:
        found = told(step, values)
        if step.loss is not None:
            step.loss.hand_looks += 1
            step.loss.hand_moved += bool(found["moved"])
        if len(self.gradients) < MOST:
            self.gradients.append(found)
        else:
            self.gradients[-1] = found

    def finish(self) -> None:
        """Settle what is pending at the script's end: what no loss has reached was only asked."""
        if self._studies is not None:
            self._studies.end_evaluation()
        while self._pending:
            self._let_go(self._pending.popleft())
        self._held.clear()
        for network in self.networks.values():
            module = network.module()
            if module is None:
                continue
            self._look_at_asked(network)
            if not self.backwards:
                network.drawn, network.fresh = as_drawn(module), new_head(module)
        self.read()

    def _compare(self, one: KnownNetwork) -> None:
        """Compare a network that is only asked with trained ones of its kind: is it a copy?

        Weights that were drawn apart have nothing in common; a copy, an average have. Of one that
        is gone there are the places of its last look.
        """
        module, widest = one.module(), _widest(one)
        if one.begun is None and widest is not None and module is not None:
            one.begun, one.begun_drawn = places(widest), as_drawn(module)
        for other in list(self.networks.values()):
            is_kin = other.reached and (one.kind, one.numbers) == (other.kind, other.numbers)
            if not is_kin or len(self.kin) + len(self._kin) >= MOST:
                continue
            a, b = _widest(one), _widest(other)
            if b is None and a is not None and other.kept is not None:
                a, b = places(a), other.kept
            if a is not None and b is not None and (a.shape, a.device) == (b.shape, b.device):
                a, b = a.detach().flatten().float(), b.detach().flatten().float()
                cosine = (a * b).sum() / (a.norm() * b.norm())
                self._kin.append(
                    ((one.number, other.number), a.numel(), cosine, _norm_places(one, other))
                )

    # Studies.

    def _study_evaluation(
        self, group: PassGroup, module: Any, arguments: Any, named: Any, outputs: Any
    ) -> None:
        """Ask about the first batch of an evaluation of a line: of what was trained, or is new."""
        # Without layers that know a mode, many a script never sets one.
        is_training = group.training and (group.owner.dropouts or group.owner.norms)
        is_asked = self.steps or group.owner.fresh
        if self._studies is None or not is_asked or is_training:
            return
        found = Pass(weakref.ref(module), arguments, named, outputs, module.training)
        is_last = group.in_stretch == group.usual > 1
        place = self._place("evaluation", found, group.line)
        self._studies.begin_evaluation(place, found, is_last=is_last)
        self.is_awaited = self._studies.is_waiting

    def _place(self, kind: str, pass_: Pass, line: int) -> dict[str, Any]:
        network = self.networks.get(id(pass_.network()))
        number = network.number if network is not None else 0
        return {"kind": kind, "at": self.backwards, "network": number, "line": line}


def children() -> int:
    """Count the processes that this one has begun by `multiprocessing`, without asking them."""
    known = getattr(sys.modules.get("multiprocessing.process"), "_children", ())
    return len(known)


def _tensors_of(network: Any) -> Iterator[Any]:
    """Yield the tensors that parts of a network have as plain attributes and that get gradients."""
    kind = sys.modules["torch"].Tensor
    for each in network.modules():
        yield from (t for t in vars(each).values() if isinstance(t, kind) and t.requires_grad)


def _unfrozen(module: Any, held: set[int]) -> int:
    """How many tensors an optimizer holds of parts that are said not to require gradients.

    To a network that is a name like any other: only its parameters ask what it says.
    """
    said = [each for each in module.modules() if vars(each).get("requires_grad") is False]
    found = {id(p) for each in said for p in each.parameters() if p.requires_grad}
    return len(found & held)


def _are_ahead(loose: list[Any], stepped: set[int], module: Any) -> bool:
    """Whether in a network these parameters all come before those of an optimizer.

    Tables of embeddings are beside each other, in whatever order they are made; and who trains the
    last layers alone does so upon a table that has learned.
    """
    order = {id(p): place for place, p in enumerate(module.parameters())}
    kind, left = sys.modules["torch"].nn.Embedding, {id(each) for each in loose}
    tables = [each for each in module.modules() if isinstance(each, kind)]
    if any(id(m.weight) in stepped or (id(m.weight) in left and is_drawn_table(m)) for m in tables):
        return False
    first = min((order[key] for key in stepped if key in order), default=-1)
    return all(order.get(id(each), first) < first for each in loose)


def _widest(network: KnownNetwork) -> Any:
    """Return the largest of some tables of a network's weights; None where they are gone."""
    found = [each for part in network.some if (each := part()) is not None and each.ndim > 1]
    return max(found, key=lambda each: each.numel(), default=None)


def _norm_places(one: KnownNetwork, other: KnownNetwork) -> Any:
    """Return 0 only where batch norm has gathered no means in `one`, but some in `other`."""
    means = []
    for network in (one, other):
        layers = [layer for each in network.norms if (layer := each()) is not None]
        places = [each.running_mean.detach().abs().sum() for each in layers]
        means.append(sum(places) if places else sys.modules["torch"].zeros(()))
    return means[0] + (means[1] == 0)


def _next(number: int) -> int:
    """Return the number of the next backward of a training to look at, after this one."""
    early = next((each for each in FIRST if each > number), 0)
    return early or (number // EVERY + 1) * EVERY


def _kind(known: KnownOptimizer, backwards: int) -> dict[str, Any]:
    """Which step of an optimizer it is, and how many losses were sent backward for it."""
    step = {"step": known.steps, "optimizer": known.number}
    return {**step, "backwards": backwards}


def _address(tensor: Any) -> int:
    """Where the numbers of a tensor lie; 0 where that is unknown."""
    try:
        return int(tensor.data_ptr())
    except (AttributeError, RuntimeError):
        return 0


def _rate(group: Mapping[str, Any], name: str = "lr") -> float:
    """Return the rate of a group; below 0 where it is no number, or lies on a device."""
    rate: Any = group.get(name)
    return float(rate) if type(rate) in (float, int) else -1.0


def _trains(reference: Callable[[], Any]) -> bool:
    module = reference()
    return module is not None and module.training


def _momentum(norm: Callable[[], Any]) -> float:
    """Return what a batch norm takes of each batch, where it has a number for each row."""
    kind, layer = sys.modules["torch"].nn.BatchNorm1d, norm()
    return float(layer.momentum or 0.0) if isinstance(layer, kind) else 0.0


def _dropout_of(module: Any) -> float:
    """Return the share that a layer drops without a dropout layer: attention, recurrent ones."""
    kinds = sys.modules["torch"].nn
    if isinstance(module, kinds.RNNBase):
        return float(module.dropout) if module.num_layers > 1 else 0.0
    return float(module.dropout) if isinstance(module, kinds.MultiheadAttention) else 0.0


def _held_again(network: Any) -> int:
    """Count the places in lists of layers that hold a layer with weights which they have already.

    A list is a module as well; what a script passes several times itself is in none.
    """
    lists = sys.modules["torch"].nn.ModuleList, sys.modules["torch"].nn.Sequential
    held = ([*each._modules.values()] for each in network.modules() if isinstance(each, lists))
    weighty = ([id(one) for one in each if any(True for _p in one.parameters())] for each in held)
    return sum(len(each) - len({*each}) for each in weighty)


def _is_lazy(parameter: Any) -> bool:
    return bool(sys.modules["torch"].nn.parameter.is_lazy(parameter))


def _sequences(outputs: Any) -> tuple[int, ...]:
    """Return the numbers of the operations that the outputs of a pass come from."""
    function = getattr(outputs, "grad_fn", None)
    if function is not None:
        return (function._sequence_nr(),)
    if isinstance(outputs, dict):
        outputs = tuple(outputs.values())
    elif not isinstance(outputs, tuple | list):
        # A distribution, a class of the script's own: what it holds.
        held = getattr(outputs, "__dict__", {}).values()
        outputs = tuple(each for each in held if hasattr(each, "grad_fn"))
    if isinstance(outputs, tuple | list):
        return tuple(number for each in outputs[:OUTPUTS] for number in _sequences(each))
    return ()


def _lasts(root: Any) -> bool:
    """Whether a loss on a GPU, where a copy is one more launch, stays as it is for a while.

    PyTorch counts the changes of a tensor, but for those by other processes and by recorded graphs
    that run again; a part of a bigger one would keep all of it.
    """
    if not root.is_cuda or root._is_view():
        return False
    if type(root.grad_fn).__name__ == "CompiledFunctionBackward":
        return False
    distributed = sys.modules["torch"].distributed
    return not (distributed.is_available() and distributed.is_initialized())


def _stacked(numbers: list[Any]) -> Any:
    torch = sys.modules["torch"]
    if not numbers:
        return torch.zeros(0, dtype=torch.float64)
    device = numbers[0].device
    return torch.stack([_wide(_at(each, device)) for each in numbers])


def _at(number: Any, device: Any) -> Any:
    # `to` is asked only where it copies: it counts as a wait.
    return number if number.device == device else number.to(device)


def _wide(number: Any) -> Any:
    """Return a number in double precision, or in single where the device has no other."""
    return number.float() if number.device.type == "mps" else number.double()


def _read(tensors: list[Any]) -> list[list[Any]]:
    """Read the numbers of tensors, of each device at once."""
    torch = sys.modules["torch"]
    by: dict[Any, list[int]] = {}
    for place, each in enumerate(tensors):
        by.setdefault(each.device, []).append(place)
    found: list[list[Any]] = [[] for _each in tensors]
    for those in by.values():
        values = torch.cat([tensors[place].reshape(-1) for place in those]).tolist()
        at = 0
        for place in those:
            count = tensors[place].numel()
            found[place] = values[at : at + count]
            at += count
    return found
