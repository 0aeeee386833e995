"""One step of a small training, looked at: what is told of it, and what of that is broken.

The bounds here are only for these tests: those for learners stand in a table of their own.
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn

from course_probe.replay.study import study
from course_probe.replay.tape import OperationTape


@dataclass
class Step:
    """A network, what it is given, and the loss of what it gives."""

    network: nn.Module
    loss: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    other_networks: tuple[nn.Module, ...] = ()
    rate: float = 1e-2

    def train(self, times: int) -> None:
        """Make so many steps, as a script would."""
        networks = (self.network, *self.other_networks)
        made = [p for each in networks for p in each.parameters() if p.requires_grad]
        optimizer = torch.optim.Adam(made, lr=self.rate)
        for _time in range(times):
            optimizer.zero_grad()
            self.loss(self.network(*self.args, **self.kwargs)).backward()
            optimizer.step()

    def look(self) -> dict[str, Any]:
        """Return what is told of the next step."""
        tape = OperationTape(SimpleNamespace(looking=False))
        tape.open()
        assert tape.is_open
        outputs = self.network(*self.args, **self.kwargs)
        loss = self.loss(outputs)
        tape.close()
        pass_ = SimpleNamespace(
            network=weakref.ref(self.network),
            args=self.args,
            kwargs=self.kwargs,
            outputs=outputs,
            training=self.network.training,
            line=1,
        )
        return study(pass_, loss, tape, (pass_,))


def broken(found: dict[str, Any]) -> set[str]:
    """Name the facts that are as they should not be, of those that are known."""
    wrong = {
        "unpaired": max(found.get("target_moves") or [1.0]) < 1e-5,
        "rows apart": _is_apart(found),
        "scrambled": _is_scrambled(found),
        "negated": found.get("curvature") == [-1, -1],
        "no logarithm": found.get("log_sum", 0) > 0.01,
        "out of reach": _is_out_of_reach(found),
        "rows mixed": found.get("rows_move_evaluation", 0) > 1e-5,
        "places mixed": found.get("places_move", 0) > 1e-3,
        "mask learned": bool(found.get("labels_of_mask")),
        "target seen": found.get("targets_held", 0) > 0,
        "later seen": found.get("later_moves", 0) > 1e-5,
        "shifted": found.get("places_ahead", 1) > 1,
        "padding read": found.get("padding_moves", 0) > 1e-3,
        "only padding": bool(found.get("padding_only")),
        "unmasked": found.get("unmasked", 0) > 0.3,
        "error as weight": bool(found.get("weighted")),
        "words hidden": bool(found.get("words_hidden")),
        "ends left out": found.get("ends_left_out", 0) > 0.99,
        "padding in loss": found.get("padding_in_loss", 0) > 0.01,
        "layer unused": found.get("dead_ends", 0) > 0,
        "layer cut off": found.get("cut_off", 0) > 0,
        "term lost": found.get("lost_terms", 0) > 0,
        "no chances": found.get("kl_below", 0) > 0.1,
        "labels ignored": found.get("ignored_share") == 1,
        "unread": any(not moved for _shape, moved, _tells in found.get("columns") or []),
        "chance in evaluation": _has_chance(found.get("modes") or {}),
    }
    return {name for name, is_wrong in wrong.items() if is_wrong}


def _is_scrambled(found: dict[str, Any]) -> bool:
    axis = found.get("class_axis")
    if not axis or not axis["found"]:
        return False
    return len(axis["found"]) > 1 or not set(axis["found"]) <= set(axis["fitting"])


def _is_apart(found: dict[str, Any]) -> bool:
    share, others = found.get("rows_apart") or (0, 0)
    # One other row is that of mixed up examples.
    return bool(share > 0.3 and others > 1)


def _has_chance(modes: dict[str, float]) -> bool:
    return bool(modes.get("evaluation", 0) > 0 and modes["dropped"])


def _is_out_of_reach(found: dict[str, Any]) -> bool:
    lowest, constant = found.get("lowest"), found.get("constant")
    if lowest is None or constant is None or constant <= lowest[1]:
        return False
    return bool((lowest[0] - lowest[1]) / (constant - lowest[1]) > 0.1)
