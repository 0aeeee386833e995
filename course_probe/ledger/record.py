"""The ledger as one document of bounded size: a later event `ledger` in place of an earlier one."""

from typing import Any

from course_probe.events import LedgerEvent
from course_probe.ledger.ledger import KnownNetwork, KnownOptimizer, Ledger, LossLine, PassGroup
from course_probe.ledger.rows import SeenRows
from course_probe.ledger.schedules import KnownSchedule
from course_probe.vital_signs.series import Spread

VALUES = 200
"""Values of a series that are written."""


def event_of(ledger: Ledger, *, over: bool) -> LedgerEvent:
    """Return what the ledger holds, as plain values; `over` once the script has come to its end."""
    return LedgerEvent(
        event="ledger",
        over=over,
        backwards=ledger.backwards,
        steps=ledger.steps,
        networks=[_network(each, ledger) for each in ledger.networks.values()],
        passes=[_group(each, ledger) for each in ledger.groups.values()],
        losses=[_loss(each) for each in ledger.losses.values()],
        optimizers=[_optimizer(each) for each in ledger.optimizers.values()],
        schedules=[_schedule(each, ledger) for each in ledger.schedules.values()],
        loads=[
            {"line": line, "class": each.kind, "times": each.times, "own": each.own}
            | {"unfit": each.unfit}
            for line, each in ledger.loads.items()
        ],
        gradients=list(ledger.gradients),
        kin=[_kin(*each, ledger) for each in ledger.kin.items()],
        studies=list(ledger.studies),
        limits={**ledger.limits, "rows": ledger.rows.level},
        workers=ledger.workers,
        choices=[
            {"name": name, "highest": each.is_highest, "values": list(map(_plain, each.values))}
            for name, each in ledger.choices.items()
        ],
        said=[
            {"name": name, "said": _plain(each.said), "counted": each.counted}
            | {"answers": each.answers}
            for name, each in ledger.said.items()
        ],
    )


def _network(network: KnownNetwork, ledger: Ledger) -> dict[str, Any]:
    trained = [each for (n, _t), each in ledger.rows.trained.items() if n == network.number]
    taken = [each for each in ledger.takeovers if each.is_one]
    times = {k: n for each in trained for k, n in each.times.items()}
    return {
        "id": network.number,
        "class": network.kind,
        "tensors": network.tensors,
        "numbers": network.numbers,
        "dropouts": len(network.dropouts),
        "norms": len(network.norms),
        "held": network.held,
        "frozen": network.frozen,
        "drawn": network.drawn or 0,
        "fresh": network.fresh,
        "unfrozen": network.unfrozen,
        "momentum": network.momentum,
        "recurrent": network.recurrent,
        "carried": sum(network.number in each.networks for each in taken),
        "followed": sum(each.batches for each in trained),
        "followed_alike": sum(each.alike for each in trained),
        "rarest": _rarest(list(times.values())),
        "rows": sum(each.rows for each in trained),
        "passed": sum(each.passed for each in trained),
        "distinct": len(times),
        "pairs": sum(each.pairs for each in trained),
        "twins": sum(each.twins for each in trained),
    }


def _rarest(times: list[int]) -> float:
    """Return the share of all rows that are among those seen least often.

    By Good and Turing, so many of further rows of the same kind are none of these at all.
    """
    least = min(times, default=0)
    return times.count(least) * least / sum(times) if times else 0.0


def _kin(pair: tuple[int, int], found: tuple[float, int, bool], ledger: Ledger) -> dict[str, Any]:
    """How alike a network that was asked and a trained one are, and the rows of both."""
    asked, trained = pair
    alike, numbers, unset = found
    rows = set[int]().union(
        *(each.distinct for key, each in ledger.rows.seen.items() if key[0] == asked and not key[2])
    )
    turns = [each.times for (n, _t), each in ledger.rows.trained.items() if n == trained]
    known = rows.intersection(*turns[-1:]) if turns else ()
    return {
        "asked": asked,
        "trained": trained,
        "alike": _plain(alike),
        "numbers": numbers,
        "unset": unset,
        "rows": len(rows),
        "known": len(known),
    }


def _group(group: PassGroup, ledger: Ledger) -> dict[str, Any]:
    key = (group.owner.number, group.line, group.training, group.grad, group.names)
    return {
        "network": group.owner.number,
        "line": group.line,
        "training": group.training,
        "grad": group.grad,
        "names": list(group.names),
        "shapes": group.shapes,
        "kinds": group.kinds,
        "reached": group.reached,
        "reached_rows": group.reached_rows,
        "sizes": len(group.sizes),
        "aside": group.aside,
        "aside_rows": group.aside_rows,
        "graphs": group.graphs,
        "stretches": group.stretches,
        "first": group.first,
        "last": group.last,
        "modes": group.modes,
        "dropping": group.dropping,
        "norming": group.norming,
        "seen": seen_of(ledger.rows.seen.get(key)),
    }


def seen_of(seen: SeenRows | None) -> dict[str, int] | None:
    """Return what is known of rows that were only asked."""
    if seen is None:
        return None
    return {
        "rows": seen.rows,
        "known": seen.known,
        "again": seen.again,
        "last_rows": seen.last_rows,
        "last_known": seen.last_known,
        "distinct": len(seen.distinct),
        "all": seen.all,
        "mixed": seen.mixed,
        "mixed_known": seen.mixed_known,
        "mixed_rows": seen.mixed_rows,
        "earlier": seen.earlier,
        "adapted": seen.adapted,
    }


def _loss(loss: LossLine) -> dict[str, Any]:
    return {
        "line": loss.line,
        "count": loss.count,
        "not_finite": loss.not_finite,
        "first_not_finite": loss.first_not_finite,
        "looks": loss.looks,
        "hand_looks": loss.hand_looks,
        "hand_moved": loss.hand_moved,
        "drifts": loss.drifts,
        "leaves": loss.leaves,
        "loose": loss.loose,
        "unregistered": loss.unregistered,
        "unstepped": loss.unstepped,
        "drawn": loss.drawn,
        "others": loss.others,
        "ahead": int(loss.ahead),
        "graphs": loss.graphs.share(),
        "begin": [_plain(value) for value in loss.begin],
        "series": spread_of(loss.series),
    }


def _optimizer(optimizer: KnownOptimizer) -> dict[str, Any]:
    return {
        "id": optimizer.number,
        "class": optimizer.kind,
        "line": optimizer.line,
        "steps": optimizer.steps,
        "renewed": optimizer.renewed,
        "resumed": int(optimizer.resumed),
        "idle": optimizer.idle,
        "closures": optimizer.closures,
        "climbs": int(optimizer.climbs),
        "tensors": optimizer.tensors,
        "without": optimizer.without,
        "loose": optimizer.loose,
        "looks": optimizer.looks,
        "rates": spread_of(optimizer.rates),
        "base": _plain(optimizer.base),
        "decay": _plain(optimizer.decay if optimizer.looks else 0.0),
    }


def _schedule(schedule: KnownSchedule, ledger: Ledger) -> dict[str, Any]:
    optimizer = ledger.optimizers.get(id(schedule.optimizer()))
    steps = schedule.steps if optimizer is None else optimizer.steps
    return {
        "class": schedule.kind,
        "line": 0 if optimizer is None else optimizer.line,
        "calls": schedule.calls,
        "steps": steps - schedule.begun_at,
        "length": schedule.length,
        "ends": schedule.ends,
    }


def spread_of(series: Spread) -> list[Any]:
    """Return some of the values, each with its place."""
    return [[at, _plain(value)] for at, value in _few(series)]


def _few(series: Spread) -> list[Any]:
    values = list(series)
    few = values[:: -(-len(values) // VALUES) or 1]
    return few if not values or few[-1] is series.last else [*few, series.last]


def _plain(value: float) -> float | None:
    """Return a number that JSON knows; None for infinity and for what is no number."""
    return value if value - value == 0 else None
