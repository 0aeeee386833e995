"""Which invariants do broken scripts break, and do honest ones break any?

``python benchmarks/invariants.py --sets fourth plain --honest DIR ...``

Each script runs once under the ledger; what it wrote is kept in `--kept`,
so that ``--judge`` asks the table of invariants anew without a run. A row is an invariant: on how
many scripts with a bug it is broken *rightly* (the bug is one of `CAUSES`), on how many
*otherwise*, and on how many honest scripts, which must be 0. Half of the bugs (an even checksum of
their id) are there to choose bounds by; the others are reported apart. In a folder of a set, a
script that is called `honest_*` has no bug; with ``--healthy`` the other ones as they are count
as honest, too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from diagnosis import edits

from course.check import invariants, script_verdict
from course.diagnosis import user_script
from course.invariants import judge, table
from course.runs.record import Builder, RunRecord
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm

SETS = {"own": edits.HERE, **{p.name: p for p in (edits.HERE / "unseen").iterdir() if p.is_dir()}}
IMPORTS = ("torch", "numpy", "datasets", "transformers", "accelerate")
CAUSES = {
    "loss-is-a-number": {
        *("nan-loss", "learning-rate-too-high", "exploding-gradients", "fp16-overflow"),
        "nan-in-inputs",
    },
    "loss-falls": {
        *("loss-negated", "learning-rate-too-high", "learning-rate-too-low", "labels-misaligned"),
        *("parameters-not-in-optimizer", "gradients-cleared-before-step", "softmax-before-loss"),
        *("optimizer-step-missing", "stalling-loss", "dead-activations", "vanishing-gradients"),
        *("batch-axis-swapped", "broadcast-in-loss", "frozen-parameters", "exploding-gradients"),
        *("argmax-over-wrong-axis", "submodules-not-registered", "inputs-not-scaled"),
    },
    "parameters-are-held": {
        *("parameters-not-in-optimizer", "submodules-not-registered", "new-head-not-trained"),
        *("frozen-parameters", "loss-without-graph"),
    },
    "gradients-are-clipped": {"exploding-gradients"},
    "gradients-come-through": {
        *("gradient-function-wrong", "vanishing-gradients", "stalling-loss", "dead-activations"),
    },
    "gradients-are-fresh": {
        *("gradients-not-cleared", "gradients-cleared-before-step", "optimizer-step-missing"),
    },
    "step-follows-backward": {"backward-missing", "optimizer-step-missing", "scaler-out-of-order"},
    "steps-move-parameters": {"learning-rate-too-low", "schedule-out-of-step"},
    "rate-is-steady": {"schedule-out-of-step", "schedule-too-short", "learning-rate-too-low"},
    "held-out-is-held-out": {"evaluation-on-training-data", "trained-on-evaluation-data"},
    "all-data-is-seen": {"examples-left-out"},
    "evaluated-is-trained": {
        *("trained-again", "checkpoint-keys-do-not-fit", "training-missing"),
        "new-head-not-trained",
    },
    "frozen-stay-as-they-are": set(),
    "norms-are-of-training": set(),
    "evaluation-mode": {"dropout-in-evaluation", "batch-statistics-in-evaluation"},
    "training-mode": {"no-dropout-in-training"},
    "loss-pairs-rows": {"broadcast-in-loss", "labels-misaligned"},
    "classes-are-one-axis": {"batch-axis-swapped", "loss-for-another-task"},
    "loss-leads-to-labels": {
        *("softmax-before-loss", "loss-negated", "output-activation-limits-range"),
        *("regression-head", "softmax-over-one-output", "loss-for-another-task"),
        "outputs-taken-for-probabilities",
    },
    "rows-stand-alone": {"batch-axis-swapped"},
    "later-is-unseen": {"labels-shifted-twice", "later-tokens-seen", "labels-not-shifted"},
    "padding-counts-for-nothing": {"padding-attended", "padding-in-loss", "eos-masked-as-padding"},
    "inputs-are-read": {"input-left-out", "separate-texts", "inputs-truncated"},
    "choices-are-several": {"softmax-over-one-output"},
    "memory-is-let-go": {"loss-kept-with-graph", "state-not-detached"},
    "loads-change-weights": {"checkpoint-keys-do-not-fit"},
    "rows-keep-labels": {"labels-misaligned"},
    "figures-are-of-training": {"statistics-of-all-data"},
    "inputs-are-alike": {"inputs-not-scaled"},
    "score-is-of-all": {"metric-of-last-batch", "metric-made-up"},
    "gradients-are-of-the-mean": {"backward-without-accelerator"},
    "steps-are-enough": {"too-few-steps", "examples-left-out"},
    "score-knows-labels": {"predictions-and-labels-swapped"},
    "steps-lower-loss": {"learning-rate-too-high", "exploding-gradients"},
    "better-than-guessing": {
        *("labels-misaligned", "stalling-loss", "learning-rate-too-low", "dead-activations"),
        *("vanishing-gradients", "learning-rate-too-high", "exploding-gradients"),
        *("parameters-not-in-optimizer", "gradients-cleared-before-step", "frozen-parameters"),
    },
    "score-beats-chance": {"labels-misaligned", "stalling-loss", "learning-rate-too-low"},
    "schedule-fits-training": {"schedule-out-of-step", "schedule-too-short"},
    "batches-are-mixed": {"data-not-shuffled"},
    "evaluation-has-labels": {"one-label-in-evaluation", "data-not-shuffled"},
    "score-along-classes": {"argmax-over-wrong-axis", "argmin-for-argmax"},
}
"""Faults that break an invariant, by their ids; a bug may be called by several."""


@dataclass(frozen=True)
class Asked:
    """A script to ask about: the faults of its bug, whether it is silent, and its half."""

    id: str
    text: str
    faults: frozenset[str]
    honest: bool

    @property
    def half(self) -> str:
        """Bounds are chosen by the even ones."""
        name = self.id.partition("/")[2]
        return "even" if zlib.crc32(name.encode()) % 2 == 0 else "odd"


def scripts(options: argparse.Namespace) -> Iterator[Asked]:
    """All that are asked about."""
    for name in options.sets:
        edits.use("pt", SETS[name])
        edits.healthy.cache_clear()
        edits.bugs.cache_clear()
        for each in edits.scripts("pt", "all"):
            for case in edits.singles("pt", each):
                if case.bugs[0].silent:
                    yield Asked(f"{name}/{case.id}", case.text, case.bugs[0].faults, honest=False)
            if options.healthy or each.startswith("honest"):
                yield Asked(f"{name}/{each}", edits.healthy("pt", each), frozenset(), honest=True)
    for folder in options.honest:
        for path in sorted(folder.rglob("*.py")):
            text = path.read_text("utf-8")
            yield Asked(f"{folder.name}/{path.stem}", text, frozenset(), honest=True)


def run(context: RunContext, asked: Asked) -> dict[str, Any]:
    """What the ledger of a script says, and how the run ended."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        path = Path("train.py")
        path.write_text(asked.text, "utf-8")
        done = user_script.run(user_script.read(path), context).run.record
    failed = f"{done.raised.type}: {done.raised.message}" if done.raised else ""
    return {
        "id": asked.id,
        "status": done.status,
        "raised": failed[:200],
        "failed": done.figures.get("notes_failed", 0.0),
        "ours": list(done.own_failures),
        "seconds": done.seconds,
        "ledger": dict(done.ledger) if done.ledger is not None else None,
    }


def named_in(ledger: dict[str, Any], text: str) -> set[str]:
    """The faults that are certain by what a ledger and the text of the script say."""
    builder = Builder()
    builder.add({"event": "ledger", **ledger})
    verdict = script_verdict.judge_script(builder.build("finished", 0), text)
    return {each.fault.id for each in verdict.namings if each.certain}


def broken_in(ledger: dict[str, Any], text: str) -> tuple[judge.BrokenInvariant, ...]:
    """The rules that are broken by both."""
    return judge.broken(invariants.facts_in(RunRecord("finished", ledger=ledger), text))


def show(asked: list[Asked], known: dict[str, dict[str, Any]]) -> None:
    """The table of each half, and each script with what it broke."""
    for half in ("even", "odd"):
        right, other, honest = Counter[str](), Counter[str](), Counter[str]()
        bugs = told = named = wrong = 0
        for each in (a for a in asked if a.id in known and (a.half == half or a.honest)):
            found = known[each.id]
            broken = broken_in(found["ledger"], each.text) if found["ledger"] else ()
            names = {b.invariant for b in broken}
            fits = {name for name in names if each.faults & CAUSES[name]}
            honest.update(names if each.honest else ())
            right.update(() if each.honest else fits)
            other.update(() if each.honest else names - fits)
            bugs += not each.honest
            told += not each.honest and bool(names)
            ids = named_in(found["ledger"], each.text) if found["ledger"] else set()
            named += not each.honest and bool(ids & each.faults)
            wrong += not each.honest and bool(ids - each.faults)
            if ids - each.faults:
                print(f"- {each.id}: named wrongly: {', '.join(sorted(ids - each.faults))}")
            if names and (half == "even" or not each.honest):
                what = "honest" if each.honest else ", ".join(sorted(each.faults)) or "(no name)"
                print(f"- {each.id} [{what}]: " + "; ".join(f"{b.invariant}" for b in broken))
                if each.honest:
                    print("\n".join(f"    {b.evidence}" for b in broken))
        print(f"\n{half}: {told} of {bugs} scripts with a bug break an invariant")
        print(f"{named} are named by a right id, {wrong} by a wrong one\n")
        print("| invariant | rightly | otherwise | honest |\n| --- | ---: | ---: | ---: |")
        for name in table.TITLES:
            print(f"| {name} | {right[name]} | {other[name]} | {honest[name]} |")
        print()
    count = sum(each.honest for each in asked)
    heard = sum(1 for each in asked if each.honest and (known.get(each.id) or {}).get("ledger"))
    print(f"{count} honest scripts, {heard} with a ledger")
    for each in asked:
        found = known.get(each.id)
        if found and (found["failed"] or found["ours"] or found["status"] != "finished"):
            print(f"- {each.id}: {found['status']} {found['raised']} {found['failed'] or ''}")
            print("".join(found["ours"]), end="")


def main() -> None:
    """Run what is missing, then print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="*", choices=tuple(SETS), default=["fourth"])
    parser.add_argument("--honest", nargs="*", type=Path, default=[])
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--half", choices=("even", "odd", "all", "none"), default="all")
    parser.add_argument("--kept", type=Path, default=Path("invariants.jsonl"))
    parser.add_argument("--judge", action="store_true", help="run nothing")
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args()
    asked = [a for a in scripts(options) if a.honest or options.half in ("all", a.half)]
    lines = options.kept.read_text("utf-8").splitlines() if options.kept.exists() else []
    known = {found["id"]: found for found in map(json.loads, lines)}
    if not options.judge:
        os.environ.update({"TOKENIZERS_PARALLELISM": "false", "TQDM_DISABLE": "1"})
        context = user_script.find_context(None, "embedded", options.seconds)
        context = replace(context, warm=Warm(context.runtime, IMPORTS))
        with options.kept.open("a", encoding="utf-8") as kept:
            for number, each in enumerate(asked, 1):
                if each.id in known:
                    continue
                known[each.id] = run(context, each)
                kept.write(json.dumps(known[each.id]) + "\n")
                kept.flush()
                took = known[each.id]["seconds"]
                print(f"{number}/{len(asked)} {each.id} {took:.0f} s", file=sys.stderr, flush=True)
    show(asked, known)


if __name__ == "__main__":
    main()
