"""Are faults of ordinary training scripts named, and is no honest script accused?

``python benchmarks/diagnosis.py --half report --sample 60``, ``--what several --tool diagnose``,
``--what healthy --seeds 20``, ``--what honest``, ``--programs DIR`` for honest ones of a folder;
``--count`` only says how many cases there are.

Sixteen healthy scripts (`benchmarks/diagnosis/scripts/`) are changed by the bugs of `bugs.toml`,
each alone (`single`) or two to four at once (`several`, drawn by chance); `variants.toml` changes
them in honest ways. With ``--framework tf`` they are the seven of Keras (`diagnosis/keras/`), and
TensorFlow's runtime, as `course runtime install tf` makes it, runs them.

Half of the scripts (`edits.DEVELOP`) serve the catalogue's development, the figures are of the
others: the halves share bugs, but no script. Nothing is downloaded. `--scripts
benchmarks/diagnosis/unseen/second_plain` takes scripts that nobody had seen when their bugs and
names were written. With `--minutes` no script is begun after that time, and the table is of those
that were; each is told on standard error as soon as it is known.

The tool ``run`` is what `course run PATH --json` is made of, in a warm process; ``diagnose`` is
`course diagnose PATH`. A bug counts as named where one of its right names is among those that are
certain. *Rule*: how often it is named, or a rule of `course/invariants/` is told as broken without
a name. A *wrong name* is one that is certain and right for none of the script's bugs. The *stage*
counts where one of the certain names has it; the *line* where a name that is right for a bug is
said to lie in a line that could be mended: in its *first* line, or in one of its first *three*; a
bug that is not named has none. *Plain*: how often the traceback's last line in the script itself is
one that could be mended. *Steps* are those of the optimizers after which a silent fault was
certain, of all of them: of what is told only at the end, it is those of the whole training, and of
what is never told, more than any. *First epoch* is the share that was told before the first pass
over the data was over, the evaluation behind it included. What is told while a script runs is
counted as wrong, or as an accusation, even if it is not said any more at the end. A script without
a bug is accused by a broken rule as by a name.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from diagnosis import edits
from diagnosis.edits import Bug, Case

import course
from course.diagnosis import locate, user_script
from course.runs.environment import runtime
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm

IMPORTS = {
    "pt": ("torch", "numpy", "datasets", "transformers", "accelerate"),
    "tf": ("tensorflow", "keras", "tf_keras", "datasets", "transformers"),
}
LIMIT = 120.0
"""Seconds that a script may take on a machine that is busy, or a diagnosis (`--seconds`)."""
FIRST = 3


@dataclass
class Told:
    """What a tool says: names that are certain, with stage and lines, the likeliest first.

    `rules` are broken, and no name says why. `plain` is the line that Python's own traceback ends
    in; `steps` those done when a name first was certain, by its name, and `ended` those done at the
    end.
    """

    names: list[tuple[str, str, tuple[int, ...]]] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    plain: int | None = None
    raised: bool = False
    steps: dict[str, int] = field(default_factory=dict)
    ended: int = 0
    broken: str = ""

    @property
    def certain(self) -> list[str]:
        """The names at the end, and those that were told before and not any more."""
        names = [name for name, _stage, _lines in self.names]
        return names + [name for name in self.steps if name not in names]


def run(context: RunContext, path: Path) -> Told:
    """Return what `course run PATH` says."""
    told, heard = Told(), [0]

    def hear(event: dict[str, Any]) -> None:
        if event.get("event") in ("step", "loss"):
            heard[0] = max(heard[0], int(event.get("step", 0)))
        elif event.get("event") == "ledger":
            heard[0] = max(heard[0], int(event["steps"]))

    def early(naming: Any) -> None:
        told.steps.setdefault(naming.fault.id, heard[0])

    done = user_script.run(user_script.read(path), context, hear, tell=early)
    raised, told.ended = done.verdict.raised, heard[0]
    told.raised = raised is not None
    told.plain = raised.own.line if raised is not None and raised.own is not None else None
    for naming in done.verdict.namings:
        if naming.certain:
            place = locate.find_place(done, naming)
            told.names.append((naming.fault.id, naming.fault.stage, place.lines))
    told.rules = [each.invariant for each in done.verdict.broken]
    if done.run.record.status not in ("finished", "exception", "stopped"):
        told.broken = done.run.record.status
    return told


def diagnose(context: RunContext, path: Path) -> Told:
    """Return what `course diagnose PATH` says."""
    python = context.runtime.python
    found = course.diagnose(path, seconds=context.timeout, python=python, hub="embedded").findings
    return Told([(each.fault, each.stage, each.lines) for each in found if each.certain])


TOOLS = {"run": run, "diagnose": diagnose}


def ask(tool: str, context: RunContext, named: tuple[str, str], until: float) -> Told | None:
    """Write a script to a file of its own, and have it examined; nothing where time is over."""
    if (begun := time.monotonic()) > until:
        return None
    name, text = named
    path = Path(tempfile.mkdtemp(dir=Path.cwd())) / "train.py"
    path.write_text(text, "utf-8")
    told = TOOLS[tool](context, path)
    took, names = time.monotonic() - begun, ", ".join(each[0] for each in told.names)
    print(f"{took:5.0f} s  {name}: {names or told.broken or '-'}", file=sys.stderr, flush=True)
    return told


@dataclass
class Tally:
    """Counts of one kind of bugs."""

    bugs: int = 0
    named: int = 0
    rules: int = 0
    names: int = 0
    wrong: int = 0
    stages: int = 0
    first: int = 0
    lines: int = 0
    plain: int = 0
    steps: list[float] = field(default_factory=list)
    epochs: int = 0
    early: int = 0

    def add(self, case: Case, of_kind: Iterable[Bug], told: Told) -> list[str]:
        """Count a case in; what was missed or wrong, in words."""
        said = []
        right = frozenset[str]().union(*(bug.faults for bug in case.bugs))
        wrong = [name for name in told.certain if name not in right]
        self.names += len(told.certain)
        self.wrong += len(wrong)
        said += [f"wrong name `{name}`" for name in wrong]
        for bug in of_kind:
            self.bugs += 1
            lines = case.lines(bug)
            places = [found for name, _stage, found in told.names if name in bug.faults]
            named = bool(places)
            self.named += named
            self.rules += named or bool(told.rules)
            self.stages += any(stage in bug.stages for _name, stage, _lines in told.names)
            self.first += any(lines.intersection(found[:1]) for found in places)
            self.lines += any(lines.intersection(found[:FIRST]) for found in places)
            self.plain += told.plain in lines
            at_end = told.ended if named else math.inf
            early = (told.steps[name] for name in bug.faults & told.steps.keys())
            steps = min(early, default=at_end)
            self.steps.append(steps)
            if case.first_epoch:
                self.epochs += 1
                self.early += steps <= case.first_epoch
            if not named:
                said.append(f"missed `{bug.name}` ({', '.join(sorted(bug.faults))})")
        return said


def share(part: int, whole: int) -> str:
    """Format a share with two decimals; return a dash where the whole is 0."""
    return f"{part / whole:.2f}" if whole else "–"


def show(results: list[tuple[Case, Told]], tool: str) -> None:
    """Print the table, and what was missed or wrong."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    said = []
    for case, told in results:
        if told.broken:
            said.append(f"{case.id}: {told.broken}")
        kinds = {bug.silent for bug in case.bugs}
        kind = ("silent" if kinds == {True} else "crash") if len(case.bugs) == 1 else "several"
        for words in tallies[kind].add(case, case.bugs, told):
            said.append(f"{case.id}: {words}")
    print(f"\n`{tool}`\n")
    heads = "| kind | bugs | named | rule | wrong names | stage | first | three | plain |"
    print(f"{heads} steps, median | first epoch |")
    print("| --- |" + " ---: |" * 10)
    for kind, row in sorted(tallies.items()):
        is_timed = tool == "run" and kind == "silent"
        steps = f"{statistics.median(row.steps):.0f}" if is_timed else "–"
        early = share(row.early, row.epochs) if is_timed else "–"
        plain = share(row.plain, row.bugs) if tool == "run" and kind == "crash" else "–"
        cells = [share(each, row.bugs) for each in (row.named, row.rules)]
        cells += [share(row.wrong, row.names)]
        lines = [share(row.first, row.bugs), share(row.lines, row.bugs)]
        cells += [share(row.stages, row.bugs), *lines, plain, steps, early]
        print(f"| {kind} | {row.bugs} | " + " | ".join(cells) + " |")
    print("\n" + "\n".join(f"- {words}" for words in said))


def show_alarms(results: list[tuple[str, Told]], tool: str) -> None:
    """How many of the scripts without a bug were accused, and of what."""
    failed = [f"{name}: {told.broken or 'an exception'}" for name, told in results if _bad(told)]
    well = [(name, told) for name, told in results if not _bad(told)]
    alarms = [(name, each) for name, told in well for each in (*told.certain, *told.rules)]
    accused = len({name for name, _fault in alarms})
    print(f"\n`{tool}`: {accused} of {len(well)} accused")
    print("\n".join(f"- {name}: `{fault}`" for name, fault in alarms))
    print("\n".join(f"- failed by itself, {words}" for words in failed))


def _bad(told: Told) -> bool:
    return told.raised or bool(told.broken)


def without_bug(framework: str, half: str, what: str, seeds: int) -> list[tuple[str, str]]:
    """Healthy scripts with each seed, or their honest variants: a name, and the text."""
    texts = {n: edits.healthy(framework, n) for n in edits.scripts(framework, half)}
    if what == "healthy":
        return [
            (f"{name}, seed {seed}", edits.seeded(text, seed))
            for seed in range(seeds)
            for name, text in texts.items()
        ]
    variants = edits.variants(framework)
    found = ((n, v, v.put_into(t)) for n, t in texts.items() for v in variants if v.fits(n))
    return [(f"{name}: {variant.name}", text) for name, variant, text in found if text is not None]


def programs(folder: Path) -> list[tuple[str, str]]:
    """Honest programs of a folder: a name, and the text."""
    return [(path.stem, path.read_text("utf-8")) for path in sorted(folder.rglob("*.py"))]


def cases(framework: str, half: str, what: str, seed: int) -> list[Case]:
    """Faulty scripts of a half."""
    names = edits.scripts(framework, half)
    if what == "single":
        return [case for name in names for case in edits.singles(framework, name)]
    return [case for name in names for case in edits.several(framework, name, seed)]


def main() -> None:
    """Run what is asked for, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = ("single", "several", "healthy", "honest")
    parser.add_argument("--what", choices=kinds, default="single")
    parser.add_argument("--framework", choices=tuple(edits.FOLDERS), default="pt")
    parser.add_argument("--half", choices=("develop", "report", "all"), default="report")
    parser.add_argument(
        "--scripts", type=Path, help="a folder of other scripts and their bugs.toml"
    )
    parser.add_argument("--programs", type=Path, help="a folder of honest programs, to ask these")
    parser.add_argument("--tool", choices=tuple(TOOLS), default="run")
    parser.add_argument("--kind", choices=("crash", "silent"), help="of single bugs only these")
    parser.add_argument("--sample", type=int, default=0, help="so many of the cases; 0 for all")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn, is drawn with it")
    parser.add_argument("--seeds", type=int, default=20, help="seeds of the healthy scripts")
    parser.add_argument("--jobs", type=int, default=1, help="scripts at once")
    parser.add_argument("--seconds", type=float, default=LIMIT, help="how long each may take")
    parser.add_argument("--minutes", type=float, default=math.inf, help="for all of them together")
    parser.add_argument("--only", help="a pattern that names of cases match")
    parser.add_argument("--count", action="store_true", help="only say how many cases there are")
    options = parser.parse_args()
    if options.scripts:
        edits.use(options.framework, options.scripts.resolve())
    faulty = options.what in ("single", "several") and options.programs is None
    drawn: list[Any]
    if options.programs is not None:
        drawn = programs(options.programs.resolve())
    elif faulty:
        drawn = cases(options.framework, options.half, options.what, options.seed)
    else:
        drawn = without_bug(options.framework, options.half, options.what, options.seeds)
    if options.kind and options.what == "single":
        drawn = [c for c in drawn if c.bugs[0].silent == (options.kind == "silent")]
    print(f"{len(drawn)} cases in all ({options.what}, {options.half})", flush=True)
    if options.count:
        return
    if options.only:
        drawn = [d for d in drawn if re.search(options.only, d.id if faulty else d[0])]
    if options.sample and options.sample < len(drawn):
        drawn = random.Random(options.seed).sample(drawn, options.sample)
    os.environ.update(TOKENIZERS_PARALLELISM="false", TQDM_DISABLE="1", CUDA_VISIBLE_DEVICES="")
    python = runtime.locate("tf").python if options.framework == "tf" else None
    context = user_script.find_context(python, "embedded", options.seconds)
    context = replace(context, warm=Warm(context.runtime, IMPORTS[options.framework]))
    texts: list[tuple[str, str]] = [(d.id, d.text) if faulty else d for d in drawn]
    until = time.monotonic() + 60 * options.minutes
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        told = pool.map(lambda each: ask(options.tool, context, each, until), texts)
        results = [(d, t) for d, t in zip(drawn, told, strict=True) if t is not None]
    print(f"{len(results)} of {len(drawn)} were examined")
    if faulty:
        show(results, options.tool)
    else:
        show_alarms([(each[0], told) for each, told in results], options.tool)


if __name__ == "__main__":
    main()
