"""What the oracle's measurements mean: `wrong` with a reason, `equivalent`, or `grey`.

Pure functions over what `oracle.py` answers, for a mutant and for the healthy script with the same
seed. See `benchmarks/mutants.py` for what the words mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["wrong", "equivalent", "grey"]
Answer = Mapping[str, Any]

SCORED_OFF = 0.03
"""How far the script's figure may be from the recomputed one."""
WHOLE = 0.9
"""The share of the training examples that a training must have seen."""
FOREIGN = 0.02
"""The share of the rows that may be others."""
LEARNED = 0.1
"""Below this share of the healthy run's progress nothing was learned; see `progress`."""
AS_WELL = 0.5
WORSE = 0.03
"""By how much the accuracy may be below the healthy run's, for a model that learned as well."""
TRIED = 10
"""Steps below which the healthy script has only tried something out."""
PADDED = 1.5
"""From here on a batch is needlessly wide: columns beside those of its longest row."""


@dataclass(frozen=True)
class Label:
    """What a mutant really is, and why."""

    kind: Kind
    reason: str = ""


@dataclass(frozen=True)
class Goal:
    """What the lesson wants: so much above the baseline, on this split."""

    margin: float
    baseline: float
    split: str


def label(found: Answer, healthy: Answer, goal: Goal) -> Label:
    """Label a mutant as what it really is, beside the healthy script with the same seed."""
    if found.get("timed_out") or found.get("died"):
        return Label("grey", "too long" if found.get("timed_out") else "oracle died")
    if found["raised"]:
        return Label("wrong", f"crash: {found['raised']}")
    trained = [s for s in found["subjects"] if s["steps"]]
    if not trained:
        return Label("wrong", "never learned: no training")
    for training, model, said in _trainings(found, healthy):
        bad = _never_learned(training, model, goal) or _other_data(training)
        bad = bad or _too_low(training, goal) or _scored_wrongly(said, training, goal)
        if bad:
            return Label("wrong", bad)
    odd = next(_grey(found, healthy, goal), "")
    return Label("grey", odd) if odd else Label("equivalent")


def subject(found: Answer) -> Answer:
    """Return the model in question: the last one evaluated; without any, the last one trained."""
    evaluated = [s for s in found["subjects"] if s["evaluated"]]
    last: Answer = (evaluated or found["subjects"])[-1]
    return last


def _trainings(found: Answer, healthy: Answer) -> Iterator[tuple[Answer, Answer, float | None]]:
    """Each training beside the one of the healthy script, and the figure that was said of it.

    The last model in question comes last, trained or not. An earlier one that the mutant did not
    train is none of its trainings; where there are others than in the healthy script, only the last
    is held against it.
    """
    last, model = subject(found), subject(healthy)
    usual = [s for s in healthy["subjects"] if s is not model and s["steps"] >= TRIED]
    earlier = [s for s in found["subjects"] if s is not last and (s["steps"] or s["evaluated"])]
    if usual and len(earlier) == len(usual):
        for one, other in zip(earlier, usual, strict=True):
            if one["steps"]:
                yield one, other, one["said"]
    yield last, model, found["said"]


def _scored(found: Answer) -> list[Answer]:
    """Return the models that were trained and evaluated."""
    return [s for s in found["subjects"] if s["steps"] and s["moved_share"] and s["evaluated"]]


def progress(last: Answer, model: Answer) -> float | None:
    """How far the loss fell beside how far it does in the healthy run; the better of two splits.

    A model that fits its training data too well may have a high loss on the validation data.
    """
    found = []
    for part in ("validation", "train"):
        losses = [
            s[when][part]["loss"]
            for s, when in ((last, "before"), (last, "after"), (model, "before"))
            if s.get(when)
        ]
        known = [value for value in losses if value is not None]
        if len(known) == 3:
            before, after, first = known
            fell = first - model["after"][part]["loss"]
            found.append((before - after) / max(fell, 1e-3))
    return max(found, default=None)


def _never_learned(last: Answer, model: Answer, goal: Goal) -> str:
    if not last["steps"] or last["moved_share"] == 0:
        return "never learned: no weight moved"
    after = last.get("after")
    if after is None or not after["validation"]["finite"] or last["moved_by"] is None:
        return "never learned: weights are no numbers, or do not fit the task"
    made = progress(last, model)
    if made is not None and made < LEARNED:
        return f"never learned: {made:.2f} of the healthy progress"
    return ""


def _other_data(last: Answer) -> str:
    trained = last["trained"]
    kinds = trained["kinds"]
    foreign = 1 - kinds.get("right", 0) / max(trained["rows"], 1)
    if foreign > FOREIGN:
        most = max((k for k in kinds if k != "right"), key=lambda k: kinds[k])
        return f"other data: {foreign:.2f} of the rows, {most}"
    if trained["coverage"] < WHOLE:
        return f"other data: {trained['coverage']:.2f} of the examples"
    return ""


def _too_low(last: Answer, goal: Goal) -> str:
    accuracy = last["after"]["validation"]["accuracy"]
    if accuracy < goal.baseline + goal.margin:
        return f"never learned: accuracy {accuracy:.3f}"
    return ""


def _scored_wrongly(said: float | None, last: Answer, goal: Goal) -> str:
    if last["given"] and last["after"]["validation"]["accuracy"] < 1:
        return f"scored wrongly: {last['given']}"
    if said is None:
        return ""
    accuracy = last["after"]["validation"]["accuracy"]
    if not abs(said - accuracy) <= SCORED_OFF:
        return f"scored wrongly: {said:.3f} said, {accuracy:.3f} true"
    rows = last["evaluated"]
    if rows.get("train", 0) > FOREIGN * sum(rows.values()):
        return "scored wrongly: on training examples"
    return ""


def _grey(found: Answer, healthy: Answer, goal: Goal) -> Iterator[str]:
    """Yield what makes a mutant neither wrong nor as good as the healthy script."""
    last, model = subject(found), subject(healthy)
    if len(_scored(found)) < len(_scored(healthy)):
        yield "an earlier training is missing"
    if found["said"] is None:
        yield "not scored"
    rows = last["evaluated"]
    if rows.get(goal.split, 0) < WHOLE * max(sum(rows.values()), 1):
        yield "scored on other examples: " + ", ".join(sorted(rows))
    if sum(rows.values()) < WHOLE * sum(model["evaluated"].values()):
        yield "scored on a part of the examples"
    yield from _process(last, model)
    made = progress(last, model)
    worse = model["after"]["validation"]["accuracy"] - last["after"]["validation"]["accuracy"]
    if made is None or made < AS_WELL or worse > WORSE:
        yield f"learned less: {made} of the healthy progress, accuracy lower by {worse:.3f}"


def _process(last: Answer, model: Answer) -> Iterator[str]:
    """Faults whose harm need not show in the figures."""
    modes, usual = last["modes"], model["modes"]
    for mode in ("train-off", "evaluate-on"):
        if modes.get(mode, 0) > usual.get(mode, 0) + 2:
            yield f"dropout: {mode}"
    if last["padding"] and last["padding"] > PADDED:
        yield f"padding: {last['padding']:.1f}"
    if last["clears"] < WHOLE * last["steps"]:
        yield "gradients not cleared"
    if last["moved_share"] < model["moved_share"] - 0.02:
        yield "a part stood still"
    rate, healthy = last["rate"], model["rate"]
    if rate["zero"] > 0.05:
        yield "rate 0 in a part of the steps"
    if abs(rate["last"] / (rate["first"] or 1) - healthy["last"] / healthy["first"]) > 0.25:
        yield "another schedule"
