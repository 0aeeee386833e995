"""What the steps of a training have really done, by a few numbers of the weights themselves.

A group of an optimizer says which rate is meant, and hooks or a step of one's own may take another
one; so may they with gradients. The averages that Adam keeps tell both. That somebody sets weights
between two steps shows in the weights.
"""

import math
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PARAMETERS, NUMBERS = 3, 512
"""Tensors that are looked at, and numbers of each."""
MOST = 100_000
"""Steps of which it is kept what they led to."""
TIMES, ROUNDING = 2.0, 1e-7
"""By how much a rate differs that is another one, beside what float32 makes of small steps."""
FARTHER = 10.0
"""How many times as far as a step moves weights that are set; a decay by hand moves them less."""
ALIKE = 0.5
"""The cosine of two gradients from which on they are the same, scaled or clipped."""


@dataclass
class _Watched:
    """The tensors of one optimizer that are looked at, and what they were around its last step."""

    optimizer: Callable[[], Any]
    parameters: list[Callable[[], Any]]
    depth: int = 0
    before: list[Any] = field(default_factory=list)
    slopes: list[Any] = field(default_factory=list)
    means: list[Any] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    after: bytes = b""
    moved: float = math.inf
    own: set[int] = field(default_factory=set)
    first: int = 0

    def there(self) -> list[Any]:
        """Return the tensors; none where one of them is gone."""
        found = [each() for each in self.parameters]
        return [] if any(each is None for each in found) else found

    def far_from(self, other: bytes) -> float:
        """Return how far other numbers are from those after the last step."""
        numpy = sys.modules["numpy"]
        arrays = [numpy.frombuffer(each, "float32") for each in (self.after, other)]
        same = len(arrays[0]) == len(arrays[1])
        return float(numpy.linalg.norm(arrays[0] - arrays[1])) if same else math.inf

    def known(self) -> bytes:
        """Return the numbers of the tensors as they are now."""
        return _bytes(self.there())


class RealSteps:
    """The steps of one script; its figures are of the training in progress.

    Weights that are `set` between two steps are those of no step before in this training; `earlier`
    are those of another one.
    """

    def __init__(self) -> None:
        self._watched: dict[int, _Watched] = {}
        self._earlier: set[int] = set()
        self.begin_training()

    def begin_training(self) -> None:
        """Count anew: another training begins."""
        for each in self._watched.values():
            self._earlier |= each.own
        self._watched.clear()
        self._set = self._of_earlier = self._steps = self._rates = self._slopes = self._looks = 0

    def begin(self, optimizer: Any) -> None:
        """Note what there is before a step."""
        watched = self._watched.get(id(optimizer))
        if watched is None or watched.optimizer() is not optimizer:
            found = _some(optimizer)
            if not found:
                return
            watched = _Watched(weakref.ref(optimizer), [weakref.ref(each) for each in found])
            watched.first = hash(watched.known())
            watched.own.add(watched.first)
            self._watched[id(optimizer)] = watched
        watched.depth += 1
        if watched.depth > 1:
            return
        now = watched.known()
        tensors = watched.there()
        if watched.after and now != watched.after and hash(now) not in watched.own:
            is_far = watched.moved < math.inf and watched.far_from(now) > FARTHER * watched.moved
            self._set += is_far
            self._of_earlier += hash(now) in self._earlier
        watched.before = [_numbers(each) for each in tensors]
        watched.slopes = [None if p.grad is None else _numbers(p.grad) for p in tensors]
        watched.means = [_kept(optimizer, each, "exp_avg") for each in tensors]
        watched.rates = [float(_group(optimizer, each).get("lr", math.nan)) for each in tensors]

    def end(self, optimizer: Any) -> None:
        """Note what a step has led to."""
        watched = self._watched.get(id(optimizer))
        if watched is None or not watched.depth:
            return
        watched.depth -= 1
        if watched.depth:
            return
        self._steps += 1
        for each in self._watched.values():
            # What one optimizer does is not done behind the back of another.
            each.after = each.known()
            if each is watched and watched.before:
                started = b"".join(one.numpy().tobytes() for one in watched.before)
                watched.moved = watched.far_from(started)
            if len(each.own) < MOST:
                each.own.add(hash(each.after))
        torch = sys.modules["torch"]
        is_exact = all(each.dtype is torch.float32 for each in watched.there())
        if is_exact and isinstance(optimizer, torch.optim.Adam | torch.optim.AdamW):
            self._compare(optimizer, watched)

    def _compare(self, optimizer: Any, watched: _Watched) -> None:
        """Compare the rate and gradients of a step with those that there were."""
        torch = sys.modules["torch"]
        moved: list[Any] = []
        units: list[Any] = []
        used: list[Any] = []
        given: list[Any] = []
        for number, tensor in enumerate(watched.there()):
            group, slope = _group(optimizer, tensor), watched.slopes[number]
            mean, square = (_kept(optimizer, tensor, n) for n in ("exp_avg", "exp_avg_sq"))
            if slope is None or mean is None or square is None or group.get("amsgrad"):
                return
            first, second = map(float, group["betas"])
            step = float(optimizer.state[tensor]["step"])
            before, old = watched.before[number], watched.means[number]
            old = torch.zeros_like(mean) if old is None else old
            decay = float(group.get("weight_decay", 0.0))
            is_apart = group.get("decoupled_weight_decay", isinstance(optimizer, torch.optim.AdamW))
            root = (square / (1 - second**step)).sqrt() + float(group["eps"])
            units.append(mean / (1 - first**step) / root + (decay * before if is_apart else 0.0))
            moved.append(before - _numbers(tensor))
            used.append((mean - first * old) / (1 - first))
            given.append(slope if is_apart else slope + decay * before)
        told = max(watched.rates, default=math.nan)
        unit, length = torch.cat(units).double(), torch.cat(moved).double()
        if not float(unit.norm()) > 0.0 or min(watched.rates) != told:
            return
        self._looks += 1
        rate = abs(float(unit @ length / (unit @ unit)))
        self._rates += rate > TIMES * told + ROUNDING or rate < told / TIMES - ROUNDING
        one, other = torch.cat(used).double(), torch.cat(given).double()
        lengths = float(one.norm() * other.norm())
        self._slopes += lengths > 0.0 and abs(float(one @ other)) < ALIKE * lengths

    def led_to(self, named: dict[str, Any], others: dict[str, Any]) -> bool:
        """Whether the weights of another model are those that a step has led to.

        Both are parameters by their names: those that are trained, and the other model's. What a
        training begins with, a new model has, too.
        """
        for each in self._watched.values():
            tensors = each.there()
            names = [next((n for n, p in named.items() if p is one), "") for one in tensors]
            found = [others[name] for name in names if name in others]
            known = hash(_bytes(found)) if found and len(found) == len(tensors) else each.first
            if known in each.own and known != each.first:
                return True
        return False

    def figures(self) -> dict[str, float]:
        """Return what is known of the training in progress."""
        if not self._steps:
            return {}
        found = {"weights_set": float(self._set), "weights_of_earlier": float(self._of_earlier)}
        if self._looks:
            found |= {"rates_other": self._rates / self._looks}
            found |= {"gradients_other": self._slopes / self._looks}
        return found


def _some(optimizer: Any) -> list[Any]:
    """Choose tensors of an optimizer to look at: the first, the last, one between them."""
    held = [p for group in optimizer.param_groups for p in group["params"]]
    fit = [
        each
        for each in held
        if each.requires_grad
        and each.grad is not None
        and not each.grad.is_sparse
        and each.is_floating_point()
        and each.device.type == "cpu"
    ]
    last = len(fit) - 1
    places = {round(place * last / (PARAMETERS - 1)) for place in range(PARAMETERS)}
    return [fit[place] for place in sorted(places)] if fit else []


def _bytes(tensors: list[Any]) -> bytes:
    return b"".join(_numbers(each).cpu().numpy().tobytes() for each in tensors)


def _numbers(tensor: Any) -> Any:
    """Copy some numbers of a tensor, from places that are spread over it."""
    flat = tensor.detach().reshape(-1)
    return flat[:: -(-flat.shape[0] // NUMBERS) or 1].float().clone()


def _kept(optimizer: Any, parameter: Any, name: str) -> Any:
    """Copy some numbers of what an optimizer keeps of a parameter; None if it keeps nothing."""
    found = optimizer.state.get(parameter, {}).get(name)
    return None if found is None else _numbers(found)


def _group(optimizer: Any, parameter: Any) -> dict[str, Any]:
    """Return the group of a parameter."""
    return next(
        (g for g in optimizer.param_groups if any(each is parameter for each in g["params"])), {}
    )
