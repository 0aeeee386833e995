"""The ledger as one document of bounded size: a later event `ledger` in place of an earlier one."""

from typing import Any

from course_probe.events import LedgerEvent
from course_probe.ledger.ledger import KnownNetwork, KnownOptimizer, Ledger, LossLine, PassGroup
from course_probe.ledger.rows import SeenRows
from course_probe.ledger.schedules import KnownSchedule
from course_probe.vital_signs.series import Spread

VALUES = 200
"""Values of a series that are written."""
LOOKS = 3
"""Looks after the first steps: until then, a copy may wait for its first update."""
OF_NETWORK = (
    *("tensors", "numbers", "held", "frozen", "fresh", "unfrozen", "momentum", "recurrent"),
    "shared",
)
OF_TRAINED = ("rows", "passed", "pairs", "twins")
OF_PASSES = (
    *("line", "training", "grad", "shapes", "kinds", "reached", "reached_rows", "aside"),
    *("aside_rows", "graphs", "stretches", "first", "last", "modes", "dropping", "norming"),
)
OF_SEEN = (
    *("rows", "known", "again", "last_rows", "last_known", "all", "mixed", "mixed_known"),
    *("mixed_rows", "earlier", "adapted"),
)
OF_LOSS = (
    *("line", "count", "not_finite", "first_not_finite", "looks", "hand_looks", "hand_moved"),
    *("drifts", "leaves", "loose", "unregistered", "unstepped", "drawn", "others"),
)
OF_OPTIMIZER = (
    *("line", "steps", "renewed", "idle", "closures"),
    *("tensors", "without", "loose", "looks"),
)
"""What is written of each thing as it is."""


def event_of(ledger: Ledger, *, over: bool) -> LedgerEvent:
    """Return what the ledger holds, as plain values; `over` once the script has come to its end."""
    return LedgerEvent(
        event="ledger",
        over=over,
        backwards=ledger.backwards,
        steps=ledger.steps,
        networks=[_network(each, ledger) for each in ledger.networks.values()],
        passes=[group_of(each, ledger.rows.seen.get(key)) for key, each in ledger.groups.items()],
        losses=[loss_of(each) for each in ledger.losses.values()],
        optimizers=[optimizer_of(each) for each in ledger.optimizers.values()],
        schedules=[_schedule(each, ledger) for each in ledger.schedules.values()],
        loads=[
            {"line": line, "class": each.kind, "times": each.times, "own": each.own}
            | {"unfit": each.unfit}
            for line, each in ledger.loads.items()
        ],
        gradients=list(ledger.gradients),
        kin=[_kin(*each, ledger) for each in ledger.kin.items()],
        studies=list(ledger.studies),
        workers=ledger.workers,
        choices=[
            {"name": name, "highest": each.is_highest, "values": list(map(_plain, each.values))}
            for name, each in ledger.choices.items()
        ],
        said=[
            {
                "name": name,
                "said": None if each.said is None else _plain(each.said),
                "counted": each.counted,
            }
            | {"answers": each.answers}
            for name, each in ledger.said.items()
        ],
    )


def _network(network: KnownNetwork, ledger: Ledger) -> dict[str, Any]:
    trained = [each for (n, _t), each in ledger.rows.trained.items() if n == network.number]
    taken = [each for each in ledger.takeovers if each.is_one]
    times = {k: n for each in trained for k, n in each.times.items()}
    return {
        **_picked(network, OF_NETWORK),
        "id": network.number,
        "class": network.kind,
        "dropouts": len(network.dropouts),
        "norms": len(network.norms),
        "drawn": network.drawn or (network.begun_drawn if network.is_still else 0),
        "still": network.is_still,
        "stale": sum(each.looks > LOOKS and not each.drifts for each in network.copies or ()),
        "carried": sum(network.number in each.networks for each in taken),
        "followed": sum(each.batches for each in trained),
        "followed_alike": sum(each.alike for each in trained),
        "rarest": _rarest(list(times.values())),
        "distinct": len(times),
        **{name: sum(getattr(each, name) for each in trained) for name in OF_TRAINED},
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


def group_of(group: PassGroup, seen: SeenRows | None) -> dict[str, Any]:
    """Return what is known of passes, and of the rows that were `seen` in them."""
    return {
        **_picked(group, OF_PASSES),
        "network": group.owner.number,
        "names": list(group.names),
        "sizes": len(group.sizes),
        "seen": None
        if seen is None
        else {**_picked(seen, OF_SEEN), "distinct": len(seen.distinct)},
    }


def loss_of(loss: LossLine) -> dict[str, Any]:
    """Return what is known of a line that sends losses backward."""
    return {
        **_picked(loss, OF_LOSS),
        "ahead": int(loss.ahead),
        "loose_names": loss.loose_names,
        "graphs": loss.graphs.share(),
        "begin": [_plain(value) for value in loss.begin],
        "series": _spread(loss.series),
    }


def optimizer_of(optimizer: KnownOptimizer) -> dict[str, Any]:
    """Return what is known of an optimizer."""
    return {
        **_picked(optimizer, OF_OPTIMIZER),
        "id": optimizer.number,
        "class": optimizer.kind,
        "resumed": int(optimizer.resumed),
        "climbs": int(optimizer.climbs),
        "rates": _spread(optimizer.rates),
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


def _picked(each: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(each, name) for name in names}


def _spread(series: Spread) -> list[Any]:
    """Return some of the values, each with its place."""
    values = list(series)
    few = values[:: -(-len(values) // VALUES) or 1]
    if values and few[-1] is not series.last:
        few.append(series.last)
    return [[at, _plain(value)] for at, value in few]


def _plain(value: float) -> float | None:
    """Return a number that JSON knows; None for infinity and for what is no number."""
    return value if value - value == 0 else None
