"""A diagnosis: a script is read, its text mended as far as that is mechanical, and run.

Runs take place in a copy of the script's folder, go on after what fails, and are short. The first
is as the script is, if the time is enough for it, and once more with stopgaps where these let it
come further; another one takes a few batches of each pass, where the first did not come to the
evaluation; a last one trains on a single batch.

Nothing is downloaded unless that is asked for. Where a script loads from the hub what is not in the
cache, and the embedded hub has it under the same name, that stands in.
"""

import math
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from course.base.errors import UserError
from course.base.i18n import N_, _, about
from course.diagnosis import checklist, one_batch, stopgap
from course.diagnosis.finding import ScriptFinding, in_order
from course.diagnosis.line_map import LineMap
from course.diagnosis.locate import locate
from course.diagnosis.mirror import Mirror, mirror
from course.diagnosis.stand_in import FAULTS, embedded_names_in, is_uncached
from course.diagnosis.text import installed, text_fault
from course.diagnosis.text.leads import Clue
from course.diagnosis.text.lines import find
from course.diagnosis.text.reading import Reading
from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.source_file import SourceFile
from course.diagnosis.text.text_fault import TextFault
from course.diagnosis.user_script import on_embedded_hub
from course.invariants.judge import BrokenInvariant
from course.judge import broken_rules, cells
from course.judge.script_verdict import Naming, judge_script
from course.lesson import catalogue
from course.lesson.signature import SilentSignature
from course.render import run_blocks, script_blocks
from course.runs import hub as hubs
from course.runs.process import InPlace, Job, Run
from course.runs.record import Raised, RunRecord
from course.runs.run_context import RunContext
from course.runs.vital_signs import VitalSigns
from course_probe.diagnosis.order import DiagnosisOrder

QUIET = {
    **{"WANDB_MODE": "disabled", "COMET_MODE": "DISABLED", "MPLBACKEND": "Agg"},
    **{"PYTHONDONTWRITEBYTECODE": "1", "TQDM_DISABLE": "1"},
}
"""A run that reports to no service."""
CACHED = {**hubs.OFFLINE, "TRANSFORMERS_OFFLINE": "1"}
"""And one that asks no network for anything."""
FIRST, SECOND = 0.55, 0.3
"""Shares of the time that the first run, and the second, may take."""
BATCHES = 8
"""Batches of each pass in a run that is to come to its evaluation quickly."""
LEAST = 4.0
"""Seconds that a run needs at the least."""
TO_END = 0.98
"""The share of the time after which no run goes on: it takes a moment to end one, and to judge."""
SECONDS, SHORTEST = 60.0, 5.0
"""How long a diagnosis takes at the most, unless somebody says otherwise; and how long it must."""
ROUNDS = 3
"""How often a script is run once more with what lets it come further."""
AGAIN = 2.0
"""How many times what a run took must be left for it to be run once more."""
EVALUATION = "evaluation"
EVALUATING = "trainer.evaluating"
"""The fact of a failure that it came while a Trainer evaluated."""
UNNAMED = "unnamed-failure"
RUNNING = N_("Running the script in a copy of its folder …")
BY_HEART = N_("Testing whether the model can learn one batch by heart …")
RUN = "run"
FAILED = "statements_failed"
"""The figure that counts the statements of a script that have failed."""
NO_FILE = "builtins.FileNotFoundError"
LEFT_OUT = N_("some statements of the script failed")
NO_INPUT = N_("the script waits for {call}, but no input can be typed during a diagnosis")
NOT_RUN = N_("the script was only read, not run; {command} runs it")
NOT_CACHED = N_(
    "the script loads something from the hub that is not in the cache; {online} downloads it"
)


@dataclass(frozen=True)
class Diagnosis:
    """What was found, what is in order, and what could not be checked, each with the reason.

    `findings` are in the order of the pipeline, certain ones first. `seconds` is the wall time.
    `stood_in` tells whether the embedded hub took the place of what is not in the cache. `broken`
    are rules of any training that it broke, where nothing certain was found that is to blame.
    """

    findings: tuple[ScriptFinding, ...]
    checked: tuple[tuple[str, str], ...]
    not_checked: tuple[tuple[str, str], ...]
    seconds: float
    stood_in: bool = False
    broken: tuple[BrokenInvariant, ...] = ()


def diagnose(
    source: SourceFile,
    context: RunContext,
    *,
    seconds: float,
    download: bool = False,
    on_progress: Callable[[str], None] = lambda _sentence: None,
) -> Diagnosis:
    """Read a script and run it, in `seconds` of wall time at the most.

    What is not in the cache is loaded only if the script may `download` it; else the embedded hub
    stands in, for what that has. `on_progress` is told what is done, in sentences to translate.
    """
    begun = time.monotonic()
    with installed.within(context.runtime.site):
        reading = source.read()
    findings = list(from_reading(reading))
    if reading.script is None:
        return Diagnosis(tuple(findings), (), _unread(reading), time.monotonic() - begun)
    # What is only possible is left as it is: the run shows whether it is so.
    mechanical = [fault for fault in reading.faults if fault.mechanical and fault.certain]
    text = text_fault.mend(reading.script, mechanical)
    filled = {f.fault for f in findings if f.certain} & stopgap.LEFT_OUT.keys()
    text = stopgap.edited(text, source.path.name, (), filled)
    with mirror(source.path.absolute().parent, Path.cwd()) as copies:
        runs = _Runs(source, reading.script, text, context, copies, begun + TO_END * seconds)
        runs.is_cached_only = context.online and not download
        named = (
            embedded_names_in(reading.script, source.arguments) if runs.is_cached_only else set()
        )
        done = runs.begin(named, on_progress)
        failed = [done]
        for _round in range(ROUNDS):
            shown = runs.findings(done)
            lacking = {f.fault: f for f in shown if f.certain and f.fault in stopgap.LEFT_OUT}
            new = lacking.keys() - filled
            edited = stopgap.edited(runs.text, source.path.name, _failures(done), new)
            if edited == runs.text or runs.left < AGAIN * runs.took + LEAST:
                break
            filled |= new
            findings += [*runs.failures(done), *lacking.values()]
            runs.write(edited)
            on_progress(RUNNING)
            done = runs.first()
            failed.append(done)
        record = done.record
        findings += runs.findings(done)
        if record.status != "finished" and runs.left > LEAST and _trains(record):
            on_progress(RUNNING)
            brief = runs.brief()
            findings += [f for f in runs.findings(brief) if f.stage == EVALUATION]
            if brief.record.evaluations or (brief.record.vitals or VitalSigns()).outcome.rows:
                record = replace(record, evaluations=brief.record.evaluations)
        if runs.is_cached_only:
            findings = [each for each in findings if each.fault not in FAULTS]
        ordered = in_order(findings)
        is_evaluation_lost = any(e.state.get(EVALUATING) for e in _failures(done))
        lost = {EVALUATION} if is_evaluation_lost else set[str]()
        checked, not_checked = checklist.held(record, ordered, lost, runs.text)
        if record.exit_code and record.status == "finished":
            checked = [each for each in checked if each[0] != checklist.RUNS]
            not_checked = [(checklist.RUNS, _ended(done)), *not_checked]
        unnamed = list(_unnamed(failed, findings))
        lacks = runs.is_cached_only and any(_lacks_of_hub(each) for each in failed)
        is_ticked = any(check == checklist.RUNS for check, _stage in checked)
        if lacks or (is_ticked and (unnamed or record.figures.get(FAILED))):
            checked = [each for each in checked if each[0] != checklist.RUNS]
            why = NOT_CACHED if lacks else LEFT_OUT
            not_checked = [(checklist.RUNS, why), *not_checked]
        on_progress(BY_HEART)
        is_late = record.status == "time-limit"
        unreached = checklist.NO_TIME if is_late else checklist.NOT_REACHED
        why = runs.by_heart() if _trains(record) else unreached
    if why:
        not_checked.append((checklist.ONE_BATCH, why))
    else:
        checked.append((checklist.ONE_BATCH, "optimizer"))
    not_checked += unnamed
    checked = [*((c, s) for c, s in reading.checked if c != "parses"), *checked]
    not_checked = [*reading.not_checked, *not_checked]
    took = time.monotonic() - begun
    is_blamed = any(each.certain for each in ordered) or any(True for _each in _failures(done))
    broken = () if is_blamed else broken_rules.broken(record, runs.text)
    return Diagnosis(ordered, tuple(checked), tuple(not_checked), took, runs.stood_in, broken)


def read(source: SourceFile, context: RunContext) -> Diagnosis:
    """Diagnose the text alone, where it would be run; nothing is run."""
    begun = time.monotonic()
    with installed.within(context.runtime.site):
        reading = source.read()
    found = tuple(from_reading(reading))
    not_checked = (*reading.not_checked, (RUN, NOT_RUN))
    return Diagnosis(found, reading.checked, not_checked, time.monotonic() - begun)


def check_seconds(seconds: float) -> None:
    """Make sure that a diagnosis can be made in this time.

    Raises:
        UserError: it is too short, or without end.

    """
    if not (math.isfinite(seconds) and seconds >= SHORTEST):
        sentence = _("Give a number of at least {n}.")
        raise UserError(about("`--seconds`", sentence.format(n=f"{SHORTEST:g}")))


def mended(reading: Reading) -> tuple[str | None, list[ScriptFinding]]:
    """Mend a text as far as that is mechanical; None if it is no Python. And what is left to do."""
    left = [finding for finding in from_reading(reading) if finding.fix is None]
    if reading.script is None:
        return None, left
    mechanical = [fault for fault in reading.faults if fault.mechanical]
    return text_fault.mend(reading.script, mechanical), left


def from_reading(reading: Reading) -> Iterator[ScriptFinding]:
    """Yield the findings of the text, in the order of its lines."""
    for fault in reading.faults:
        yield ScriptFinding(
            fault.fault,
            fault.certain,
            fault.sentence,
            fault.line,
            figures={},
            fix=reading.diff(fault),
            lines=tuple(dict.fromkeys((*_around(reading, fault), *fault.also))),
        )


def _around(reading: Reading, fault: TextFault) -> tuple[int, ...]:
    """Return the line of a fault that the text shows, and where it may be mended besides."""
    if reading.script is None:
        return (fault.line,)
    return find(reading.script, fault.fault, Clue((fault.line,))).lines


def _unread(reading: Reading) -> tuple[tuple[str, str], ...]:
    return (*reading.not_checked, *((p.check, checklist.NOT_REACHED) for p in checklist.PARTS))


class _Runs:
    """The runs of one diagnosis; the last one `took` so many seconds, with all that it imports.

    `stood_in` tells whether they are on the embedded hub, though that was not asked for. `text` is
    what is run.
    """

    is_cached_only = True
    stood_in = False
    took = 0.0

    def __init__(
        self,
        source: SourceFile,
        script: ScriptText,
        text: str,
        context: RunContext,
        copies: Mirror,
        until: float,
    ) -> None:
        self._source = source
        self._written = script
        self._context = context
        self._copies = copies
        self._until = until
        name = source.path.name if source.cells is None else source.path.stem + ".py"
        self._script = copies.home / name
        self.write(text)

    def write(self, text: str) -> None:
        """Make this the text that is run."""
        self.text = text
        self._lines = LineMap(self._written.text, text)
        self._script.write_text(text, encoding=self._source.encoding, newline="\n")

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self._until - time.monotonic()

    def begin(self, named: Collection[str], on_progress: Callable[[str], None]) -> Run:
        """Make the first run of all, with the embedded hub if a `named` thing there is not cached.

        A name may stand in the text and not be loaded: where that hub lacks something, too, and the
        cache does not, the cache it is.
        """
        usual, cached = self._context, None
        if not named or not is_uncached(named, self._source.path.absolute().parent):
            on_progress(RUNNING)
            cached = self.first()
            if not named or not _lacks_of_hub(cached):
                return cached
        on_progress(RUNNING)
        embedded = None
        # There may be no room or library to lay it out.
        with suppress(UserError, RuntimeError):
            embedded = on_embedded_hub(usual)
        if embedded is None:
            return cached or self.first()
        self._context, self.stood_in = embedded, True
        done = self.first()
        if cached is None and _lacks_of_hub(done):
            self._context = usual
            cached = self.first()
            if not _lacks_of_hub(cached):
                self.stood_in = False
                return cached
            self._context = embedded
        return done

    def first(self) -> Run:
        """Run the script as it is; a training that takes too long is ended between two steps."""
        return self._run(self.left * FIRST, batches=None)

    def brief(self) -> Run:
        """With a few batches of each pass only."""
        return self._run(self.left * 2 * SECOND, batches=BATCHES)

    def by_heart(self) -> str:
        """With the first batch again and again: why it was not learned; empty where it was."""
        if self.left < LEAST:
            return checklist.NO_TIME
        record = self._run(self.left, batches=None, one_batch=True).record
        return one_batch.why_not_learned(record)

    def _run(self, limit: float, *, batches: int | None, one_batch: bool = False) -> Run:
        order = DiagnosisOrder(
            root=str(self._copies.root),
            scratch=str(self._copies.scratch),
            batches=batches,
            one_batch=one_batch,
        )
        named = str(self._source.path)
        place = InPlace(
            self._copies.folder,
            named,
            self._script,
            self._copies.home,
            arguments=self._source.arguments,
        )
        job = Job("", name=self._script.name, asks=(), in_place=place, diagnosis=order)
        soon = time.monotonic() + 0.85 * limit
        hub = self._context.hub
        quiet = {**QUIET, **(CACHED if self.is_cached_only else {})}
        temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(self._copies.scratch))
        hub = replace(hub, environment={**quiet, **temporary, **hub.environment})
        context = replace(self._context, hub=hub, timeout=max(limit, LEAST), warm=None)
        begun = time.monotonic()
        done = context.run(job, enough=lambda _record: time.monotonic() > soon)
        self.took = time.monotonic() - begun
        record = replace(done.record, places=self._places())
        return replace(done, record=broken_rules.with_signs(record))

    def _places(self) -> dict[int, str]:
        """Name the lines of the text: those of a cell, and those that stood elsewhere."""
        made_of = self._source.cells
        inside = cells.places(made_of) if made_of is not None else {}
        of = {line: self._lines.back(line) for line in range(1, self.text.count("\n") + 2)}
        return {n: inside.get(m, str(m)) for n, m in of.items() if m != n or m in inside}

    def findings(self, done: Run) -> Iterator[ScriptFinding]:
        """Yield the findings of a run of the text: each failure by itself, and silent faults."""
        yield from self.failures(done)
        has_failed = any(True for _each in _failures(done))
        calm = replace(done.record, raised=None, swallowed=(), status="finished", exit_code=0)
        for naming in judge_script(calm, self.text).namings:
            if naming.certain or not has_failed:
                yield self._found(naming, None)

    def failures(self, done: Run) -> Iterator[ScriptFinding]:
        """Yield the certain and possible findings for each failure of a run.

        A file that is missing after another failure may be what the lines left out would have
        written.
        """
        has_left_out = done.record.figures.get(FAILED, 0.0) > 1
        for number, error in enumerate(_failures(done)):
            may_follow = number > 0 and has_left_out and error.type == NO_FILE
            for naming in _namings(done, error):
                is_silent = isinstance(naming.match.signature, SilentSignature)
                found = self._found(naming, None if is_silent else error)
                yield replace(found, certain=found.certain and not may_follow)

    def _found(self, naming: Naming, error: Raised | None) -> ScriptFinding:
        place = locate(naming, error, self._written, self._source.arguments, self._lines.back)
        return ScriptFinding(
            naming.fault.id,
            naming.certain,
            naming.evidence or script_blocks.evidence(naming, error),
            next(iter(place.lines), None),
            None if place.file == self._written.name else place.file,
            dict(naming.figures),
            lines=place.lines,
            given=place.gave,
            of_other=naming.fault != catalogue.catalogue()[naming.fault.id],
        )


def _ended(done: Run) -> str:
    """How a script has ended itself, with its own last word, and what it may lack."""
    printed = [line.strip() for line in done.output.splitlines() if line.strip()]
    status = done.record.exit_code
    ended = _("the script ended itself with the exit status {status}").format(status=status)
    if not printed:
        return ended
    ended = about(ended, f"`{printed[-1].replace('`', '')}`")
    if any(line.startswith("usage: ") for line in printed):
        # Translators: of a script that wants arguments, which are written behind `--`.
        hint = _("write the arguments of the script after {mark}")
        ended += f" ({hint.format(mark='`--`')})"
    return ended


def _trains(record: RunRecord) -> bool:
    return (record.training is not None and record.training.steps > 0) or bool(record.losses)


def _failures(done: Run) -> Iterator[Raised]:
    """Each exception of a run once, in the order in which they came."""
    told: set[tuple[str, str]] = set()
    for error in (*done.record.swallowed, *([done.record.raised] if done.record.raised else [])):
        key = (error.type, "".join(c for c in error.message if not c.isdigit()))
        if key not in told:
            told.add(key)
            yield error


def _lacks_of_hub(done: Run) -> bool:
    """Whether something failed for want of what only a hub has."""
    namings = (naming for error in _failures(done) for naming in _namings(done, error))
    return any(naming.fault.id in FAULTS for naming in namings)


def _namings(done: Run, error: Raised) -> tuple[Naming, ...]:
    """Return the namings of one failure of a run, as if it had been the only one."""
    record = replace(done.record, raised=error, swallowed=(), status="exception")
    return judge_script(record).namings


def _unnamed(runs: list[Run], findings: list[ScriptFinding]) -> Iterator[tuple[str, str]]:
    """Failures that have no name in the catalogue: where they were, and their last line."""
    told = {finding.evidence for finding in findings}
    for error in (error for done in runs for error in _failures(done)):
        words = f"{error.name}: {run_blocks.decisive(error)}"
        if words in told:
            continue
        told.add(words)
        if error.name == "EOFError" and "reading a line" in error.message:
            words = _(NO_INPUT).format(call="`input()`")
        where = _("line {line}").format(line=error.own.line) if error.own is not None else UNNAMED
        yield where, words.rstrip(".")
