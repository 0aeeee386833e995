"""Whose gradients the optimizers of a script step with, and what is left in them from before.

The leaves of a loss's graph are the parameters that it reaches. They are looked up for a few steps
of each optimizer, and laid beside the parameters that the optimizers hold.
"""

import sys
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from course_probe.guard import noted
from course_probe.vital_signs.plain_model import leaves

LOOKED = (2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
"""Steps of an optimizer that are looked at."""
ENOUGH = 3
"""Steps that have to be looked at before they tell anything."""
LONG = 5
"""The same, for what may be meant so at first."""
LOST = 2
"""Steps that have to be looked at before a network that is made anew, again and again, is one."""
FEWEST_STEPS = 20
"""Steps by which a network would have moved, had anything been meant to move it."""
MOST_WATCHED = 8
"""Optimizers that are watched, the first ones: one may be made for each parameter."""
MOST_BACKWARDS = 8
"""Losses before one step whose graphs are walked; of a step with more nothing is known."""
MOST_WALKS = 200
"""Losses of a script whose graphs are walked."""
MOSTLY = 0.5
"""The share of a network's numbers that an optimizer is not made without on purpose."""
CLEARED = 1e-4
"""The share of a gradient up to which nothing is left over: clipping can make it small."""
MOST_ARRIVALS = 64
"""Gradients of a weight before one step that are looked at."""
SAMPLED = 64
"""Numbers of a parameter that are kept, to see whether it moves."""


def _nothing() -> Any:
    """What a weak reference gives whose object is gone."""


@dataclass(slots=True)
class _Watched:
    """One optimizer: its steps, and the parameters that were reached before those looked at.

    The last one is `is_by_loss` if a loss has gone backward since the step of any before it.
    `lost` are the steps before which nothing was reached that it holds, though it had been.
    `left` are shares of a gradient: at a step looked at, what of it was there from before when new
    ones came, at the least. `hook` waits for these.
    """

    steps: int = 0
    is_by_loss: bool = False
    plan_at: int = 1
    looks: int = 0
    lost: int = 0
    reached: set[int] = field(default_factory=set)
    left: list[float] = field(default_factory=list)
    least: float | None = None
    arrivals: int = 0
    hook: Any = None


class OptimizerWatch:
    """The optimizers of one script, beside the losses that were sent backward.

    `modules` gives the networks of the script by name, `made` are its optimizers.
    `is_computed` says that a loss was computed, and that none has gone backward since.
    """

    def __init__(
        self, modules: Callable[[], Iterable[tuple[str, Any]]], made: Iterable[Any]
    ) -> None:
        self._modules = modules
        self._made = made
        self._watched: weakref.WeakKeyDictionary[Any, _Watched] = weakref.WeakKeyDictionary()
        self._known: dict[int, tuple[Callable[[], Any], Any]] = {}
        self._held: set[int] = set()
        self._last: Callable[[], Any] = _nothing
        self._current = _Watched()
        self._waiting: list[_Watched] = [self._current]
        self._is_used, self._is_walking, self.is_computed = True, False, False
        self._period: set[int] = set()
        self._backwards = self._walks = 0
        self._most_steps = 0
        self._uncleared = 0.0
        self._found: dict[str, float] = {}
        self._cut_off: dict[int, str] = {}
        self._left_out: dict[int, tuple[dict[int, int], int]] = {}
        self._computed: dict[int, Any] = {}
        self._asking: Any = None

    # What is heard.

    def note_backward(self, loss: Any) -> None:
        """A loss, or several, go backward."""
        self.is_computed = False
        if self._is_used:
            self._is_used, self._is_walking = False, bool(self._waiting)
            if self._is_walking:
                self._period, self._backwards = set(), 0
        if self._is_walking:
            self._walk(loss)

    def note_step(self, optimizer: Any) -> dict[str, float]:
        """An optimizer is about to step; returns the figures that are new by it, mostly none."""
        if self._last() is not optimizer:
            self._last = weakref.ref(optimizer)
            self._current = self._watched.get(optimizer) or self._begin(optimizer)
        watched = self._current
        watched.steps += 1
        watched.is_by_loss, self._is_used = not self._is_used, True
        found = self._look(optimizer, watched) if self._is_walking else {}
        if watched.steps == watched.plan_at:
            self._plan(optimizer, watched)
        return found

    def _begin(self, optimizer: Any) -> _Watched:
        found = self._watched[optimizer] = _Watched()
        self._held |= {id(p) for p in _parameters(optimizer)}
        if len(self._watched) > MOST_WATCHED:
            found.plan_at = 0
        return found

    def _plan(self, optimizer: Any, watched: _Watched) -> None:
        """Have the next step looked at: the graphs before it, and the gradient of a weight."""
        self._waiting.append(watched)
        after = (step - 1 for step in LOOKED if step > watched.steps + 1)
        watched.plan_at = next(after, 0)
        weights = [p for p in _parameters(optimizer) if p.grad is not None]
        weight = min(weights, key=lambda w: w.numel(), default=None)
        if weight is not None and watched.hook is None and not weight.grad.is_sparse:
            watched.least, watched.arrivals = None, 0
            watched.hook = weight.register_hook(_arriving(weight, watched))

    def _walk(self, loss: Any) -> None:
        self._backwards += 1
        self._walks += 1
        if self._backwards > MOST_BACKWARDS:
            return
        if self._walks > MOST_WALKS:
            self._waiting = []
        for each in loss if isinstance(loss, list | tuple) else (loss,):
            for leaf in leaves(getattr(each, "grad_fn", None)):
                key = id(leaf)
                self._period.add(key)
                known = self._known.get(key)
                if known is None or known[0]() is not leaf:
                    self._known[key] = weakref.ref(leaf), _sample(leaf)

    # What is made of it.

    def _look(self, optimizer: Any, watched: _Watched) -> dict[str, float]:
        """Lay what was reached since the last step beside what the optimizers hold."""
        self._waiting = [each for each in self._waiting if each is not watched and each.steps]
        self._most_steps = max(self._most_steps, watched.steps)
        self._end_waiting(watched)
        if not self._period or self._backwards > MOST_BACKWARDS:
            return {}
        watched.looks += 1
        watched.reached |= self._period
        held = {id(p) for p in _parameters(optimizer)}
        self._held |= held
        self._cut_off.pop(id(watched), None)
        if self._is_lost(optimizer, watched, held):
            return self._new({"parameters_replaced": float(len(self._strangers(self._period)))})
        self._ask_whether_computed(held - watched.reached if watched.looks == ENOUGH else set())
        if watched.looks < ENOUGH:
            return {}
        strangers = self._strangers(watched.reached)
        if strangers:
            self._note_left_out(strangers)
        if held and not held - watched.reached:
            return {}
        if not held & watched.reached:
            if _has_gradients(optimizer):
                # They come by other ways than that of a loss.
                return {}
            if not strangers:
                if watched.looks >= LONG and watched.is_by_loss:
                    self._cut_off[id(watched)] = "optimizers_cut_off"
                elif watched.looks >= LONG and self.is_computed:
                    self._cut_off[id(watched)] = "optimizers_waiting"
                return {}
            found = {"optimizers_beside": 1.0}
        else:
            found = {"parameters_replaced": float(self._replacements(held, strangers))}
        return self._new(found)

    def _ask_whether_computed(self, parameters: set[int]) -> None:
        """Hear until the next look whether layers are computed whose parameters no loss reaches.

        No layer has a hook of its own for that: a network with one could not be saved.
        """
        if self._asking is not None:
            self._asking.remove()
            self._asking = None
        owned = {
            id(layer): own
            for _name, network in (self._modules() if parameters else ())
            for layer in network.modules()
            if (
                own := [
                    weakref.ref(p) for p in layer.parameters(recurse=False) if id(p) in parameters
                ]
            )
        }

        def take_in(layer: Any) -> None:
            for reference in owned.pop(id(layer), ()):
                each = reference()
                if each is not None:
                    self._computed.setdefault(id(each), _sample(each))

        def computed(layer: Any, _inputs: Any, _outputs: Any) -> None:
            noted(take_in, layer)

        if owned:
            register = sys.modules["torch"].nn.modules.module.register_module_forward_hook
            self._asking = register(computed)

    def _cut_off_share(self) -> float:
        """The share of a network's numbers that are computed and held, and that no loss reaches.

        Another part of the network is reached: something is detached on the way, or computed
        without gradients. What has moved all the same was reached between two looks.
        """
        torch = sys.modules["torch"]
        reached = set[int]().union(*(each.reached for each in self._watched.values()))
        most = 0.0
        for _name, network in self._modules():
            own = {id(p): p for p in network.parameters() if p.requires_grad}
            cut = own.keys() & self._computed.keys() & self._held - reached
            still = [own[k] for k in cut if torch.equal(_sample(own[k]), self._computed[k])]
            if own.keys() & reached and len(still) > 1:
                size = sum(p.numel() for p in own.values())
                most = max(most, sum(p.numel() for p in still) / size)
        return most

    def _unregistered(self) -> int:
        """How many tensors of networks want gradients, get them, and are no parameters."""
        torch = sys.modules["torch"]
        layers = {id(m): m for _name, network in self._modules() for m in network.modules()}
        return sum(
            isinstance(each, torch.Tensor)
            and not isinstance(each, torch.nn.Parameter)
            and each.requires_grad
            and each.is_leaf
            and id(each) in self._known
            and self._stands_still(id(each))
            for layer in layers.values()
            for each in list(layer.__dict__.values())
        )

    def _new(self, found: dict[str, float]) -> dict[str, float]:
        """Those figures that are higher than they were."""
        new = {name: value for name, value in found.items() if value > self._found.get(name, 0)}
        self._found |= new
        return new

    def _is_lost(self, optimizer: Any, watched: _Watched, held: set[int]) -> bool:
        """Whether another network is trained in the place of that which an optimizer has stepped.

        Whoever makes a network anew for each pass has the optimizer step with the first one.
        """
        if held & self._period or not held & watched.reached or not self._strangers(self._period):
            return False
        watched.lost += not _has_gradients(optimizer)
        return watched.lost >= LOST

    def _end_waiting(self, watched: _Watched) -> None:
        """Take in what a weight's hook has seen since the step before."""
        if watched.hook is None:
            return
        watched.hook.remove()
        watched.hook = None
        if watched.least is not None:
            watched.left.append(watched.least)
            if len(watched.left) > ENOUGH:
                # By the first one the script may have tried something out.
                shares = watched.left[1:]
                uncleared = sum(share > CLEARED for share in shares) / len(shares)
                self._uncleared = max(self._uncleared, uncleared)

    def _strangers(self, reached: Iterable[int]) -> set[int]:
        """Those parameters that no optimizer has held, and that have not moved by other means."""
        held = self._held | {id(p) for each in list(self._made) for p in _parameters(each)}
        torch = sys.modules["torch"]
        found = set()
        for key in reached:
            reference, sample = self._known[key]
            leaf = reference()
            is_weight = isinstance(leaf, torch.nn.Parameter) and key not in held
            if is_weight and torch.equal(_sample(leaf), sample):
                found.add(key)
        return found

    def _replacements(self, held: set[int], strangers: set[int]) -> int:
        """How many strangers lie in a network that an optimizer holds, beside lost parameters."""
        parts = [{id(p) for p in module.parameters()} for _name, module in self._modules()]
        if held <= set[int]().union(*parts):
            return 0
        return max((len(each & strangers) for each in parts if each & held), default=0)

    def figures(self, *, is_fresh: bool) -> dict[str, float]:
        """What is known at the end of the script.

        A network that was loaded, and not made by chance, may be left as it is on purpose: only
        where all are fresh it tells something that no optimizer has ever held one.
        """
        found = {**self._found, **dict.fromkeys(self._cut_off.values(), 1.0)}
        found |= self.uncleared()
        if self._most_steps < FEWEST_STEPS:
            return found
        unstepped = sum(map(self._is_unstepped, list(self._made)))
        if unstepped:
            found["optimizers_unstepped"] = float(unstepped)
        if is_fresh:
            cut_off = self._cut_off_share()
            found |= self.early_figures() | ({"cut_off_share": cut_off} if cut_off else {})
        return found

    def uncleared(self) -> dict[str, float]:
        """The share of the steps looked at with gradients from before; nothing where none had."""
        return {"gradients_uncleared": self._uncleared} if self._uncleared else {}

    def early_figures(self) -> dict[str, float]:
        """What no optimizer has ever held, of networks that are all fresh.

        It stays so where no other optimizer is made, and none is given more parameters.
        """
        if self._most_steps < FEWEST_STEPS:
            return {}
        shares = {
            "networks_without_optimizer": float(len(self._without_optimizer())),
            "left_out_share": self._left_out_share(),
            "tensors_unregistered": float(self._unregistered()),
        }
        return {name: share for name, share in shares.items() if share}

    def holds(self, module: Any) -> bool:
        """Whether an optimizer has ever held a part of a network."""
        return any(id(p) in self._held for p in module.parameters())

    def _note_left_out(self, strangers: set[int]) -> None:
        """Keep which parts of a network no optimizer holds so far: it may be gone at the end.

        Who trains the last layers alone may mean it; without the very last nothing is learned, and
        with nothing but it, or next to nothing, gradients are computed for all others in vain.
        """
        for _name, module in self._modules():
            own = {id(p): p for p in module.parameters() if p.requires_grad}
            left = {key: own[key].numel() for key in own.keys() & strangers}
            weights = [key for key, p in own.items() if p.ndim > 1]
            held = [key for key in weights if key in self._held]
            size = sum(p.numel() for p in own.values())
            is_telling = bool(left.keys() & weights[-1:]) or held == weights[-1:] != weights
            is_telling |= sum(left.values()) > MOSTLY * size
            if len(left) > 1 and own.keys() & self._held and is_telling:
                self._left_out[id(module)] = left, size

    def _left_out_share(self) -> float:
        """The share of a network's numbers that the losses reach and no optimizer has ever held."""
        most = 0.0
        for left, size in self._left_out.values():
            still = [number for key, number in left.items() if self._stands_still(key)]
            most = max(most, sum(still) / size if len(still) > 1 else 0.0)
        return most

    def _stands_still(self, key: int) -> bool:
        """Whether a parameter has never been held, nor been moved by other means."""
        reference, sample = self._known[key]
        leaf = reference()
        return key not in self._held and (
            leaf is None or bool(sys.modules["torch"].equal(_sample(leaf), sample))
        )

    def _is_unstepped(self, optimizer: Any) -> bool:
        """Whether losses reach all that an optimizer holds, and neither it nor another steps."""
        if optimizer in self._watched:
            return False
        held = [p for p in _parameters(optimizer) if id(p) not in self._held]
        samples = [self._known.get(id(p), (_nothing, None))[1] for p in held]
        return bool(held) and all(
            sample is not None and sys.modules["torch"].equal(_sample(p), sample)
            for p, sample in zip(held, samples, strict=True)
        )

    def _without_optimizer(self) -> list[str]:
        """Names of the networks of which the losses reach a part, and no optimizer holds any."""
        reached = set(self._known)
        strangers = self._strangers(reached)
        parts = {name: {id(p) for p in each.parameters()} for name, each in self._modules()}
        mixed = [each for each in parts.values() if each & reached - strangers]
        return [
            name
            for name, each in parts.items()
            if len(each & reached) > 1
            and each & reached <= strangers
            and not any(each < other for other in mixed)
        ]


def _parameters(optimizer: Any) -> list[Any]:
    """What an optimizer holds and wants gradients for."""
    return [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]


def _has_gradients(optimizer: Any) -> bool:
    return any(p.grad is not None and bool(p.grad.any()) for p in _parameters(optimizer))


def _sample(parameter: Any) -> Any:
    """A few numbers of a parameter."""
    values = parameter.detach().reshape(-1)
    return values[:: max(1, len(values) // SAMPLED)].clone()


def _arriving(weight: Any, watched: _Watched) -> Callable[[Any], None]:
    """What takes in the new gradients of a weight: which share was there from before?"""
    reference = weakref.ref(weight)

    def arriving(gradient: Any) -> None:
        noted(note, reference(), gradient)

    def note(weight: Any, gradient: Any) -> None:
        if gradient is None or weight is None:
            # A function of the script's own gives none.
            return
        before = 0.0 if weight.grad is None else float(weight.grad.norm())
        both = before + float(gradient.norm())
        share = before / both if both > 0 else 0.0
        watched.least = share if watched.least is None else min(watched.least, share)
        watched.arrivals += 1
        if watched.arrivals == MOST_ARRIVALS and watched.hook is not None:
            # This optimizer may never step again, and another trains the weight.
            watched.hook.remove()

    # A network may be saved while this waits: PyTorch would warn of a hook that it can't save.
    arriving.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return arriving
