"""A diagnosis: a script is read, its text mended as far as that is mechanical, and run.

Runs take place in a copy of the script's folder, go on after what fails, and are short. The first
is as the script is, if the time is enough for it, and once more with stopgaps where these let it
come further; another one takes a few batches of each pass, where the first did not come to the
evaluation; a last one trains on a single batch.

Nothing is downloaded unless that is asked for. Where a script loads from the hub what is not in the
cache, and the embedded hub has it under the same name, that stands in.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from course.check import cells, invariants
from course.check.invariants import Broken
from course.check.script_verdict import Naming, judge_script
from course.diagnosis import checklist, one_batch, stopgap
from course.diagnosis import stand_in as embedding
from course.diagnosis.finding import ScriptFinding, in_order
from course.diagnosis.line_map import LineMap
from course.diagnosis.locate import locate
from course.diagnosis.mirror import Mirror, mirror
from course.diagnosis.text import installed, text_fault
from course.diagnosis.text.leads import Clue
from course.diagnosis.text.lines import find
from course.diagnosis.text.reading import Reading
from course.diagnosis.text.source_file import SourceFile
from course.diagnosis.text.text_fault import TextFault
from course.i18n import N_, _, numbers
from course.lesson import catalogue
from course.lesson.signature import SilentSignature
from course.render import script_story, story
from course.runs import hub as hubs
from course.runs.process import InPlace, Job, Listener, Run
from course.runs.record import Raised, RunRecord
from course.runs.run_context import RunContext
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
FAR = 10.0
"""How many times a learning rate that learns no batch by heart is beyond what is usual."""
USUAL = {"SGD": (1e-4, 1.0), "LBFGS": (1e-3, 1.0), "Adagrad": (1e-3, 0.1), "Adadelta": (0.1, 1.0)}
OTHERWISE = (1e-5, 3e-2)
"""Learning rates that are usual for small models by the optimizer: those of their papers and
tutorials, wide enough that only what is far beyond them counts, and only if nothing is learned."""
RUNNING = N_("Running the script in a copy of its folder …")
STANDING_IN = N_("Running it with the embedded hub, since what it loads is not in the cache …")
ONWARD = N_("Running it once more, past what failed …")
BRIEFLY = N_("Running it with a few batches, to come to its evaluation …")
BY_HEART = N_("Having the model learn one batch by heart …")
RUN = "run"
FAILED = "statements_failed"
"""The figure that counts the statements of a script that have failed."""
NO_FILE = "builtins.FileNotFoundError"
LEFT_OUT = N_("of some of its statements it is said below why they failed")
NOT_ENDED = N_("some statements failed, and what follows the failure in them was not run")
NO_INPUT = N_("it waits for {call}, and nobody answers while a script is diagnosed")
NOT_RUN = N_("it was read and not run; {command} runs it")
NOT_CACHED = N_("it loads from the hub what is not in the cache; {online} downloads that")


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
    broken: tuple[Broken, ...] = ()


def diagnose(
    source: SourceFile,
    context: RunContext,
    *,
    seconds: float,
    download: bool = False,
    stand_in: embedding.StandIn | None = None,
    listen: Listener | None = None,
    cancelled: threading.Event | None = None,
    on_progress: Callable[[str], None] = lambda _sentence: None,
) -> Diagnosis:
    """Read a script and run it, in `seconds` of wall time at the most.

    What is not in the cache is loaded only if the script may `download` it; else `stand_in` makes a
    context on the embedded hub, for what that has. `on_progress` is told what is done, in sentences
    to translate.
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
    lines = LineMap(source.text.removeprefix("\ufeff"), text)
    with mirror(source.path.absolute().parent, Path.cwd()) as copies:
        runs = _Runs(source, text, context, copies, begun + TO_END * seconds)
        runs.listen, runs.cancelled = listen, cancelled
        runs.is_cached_only = context.online and not download
        named = embedding.names(reading.script, source.arguments) if runs.is_cached_only else set()
        done = runs.begin(stand_in if named else None, named, on_progress)
        failed = [done]
        for _round in range(ROUNDS):
            shown = _of(done, source, reading, lines, text)
            lacking = {f.fault: f for f in shown if f.certain and f.fault in stopgap.LEFT_OUT}
            new = lacking.keys() - filled
            edited = stopgap.edited(text, source.path.name, _failures(done), new)
            if edited == text or runs.left < AGAIN * runs.took + LEAST:
                break
            filled |= new
            findings += [*_of_failures(done, source, reading, lines), *lacking.values()]
            text = edited
            lines = LineMap(source.text.removeprefix("\ufeff"), text)
            runs.write(text)
            on_progress(ONWARD)
            done = runs.first()
            failed.append(done)
        record = done.record
        findings += _of(done, source, reading, lines, text)
        if record.status != "finished" and runs.left > LEAST and _trains(record):
            on_progress(BRIEFLY)
            brief = runs.brief()
            more = [f for f in _of(brief, source, reading, lines, text) if f.stage == EVALUATION]
            findings += more
            if _came_to_evaluation(brief.record):
                record = replace(record, evaluations=brief.record.evaluations)
        if runs.is_cached_only:
            findings = [each for each in findings if each.fault not in embedding.FAULTS]
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
            why = NOT_ENDED if record.figures.get(FAILED) else LEFT_OUT
            not_checked = [(checklist.RUNS, NOT_CACHED if lacks else why), *not_checked]
        on_progress(BY_HEART)
        is_late = record.status == "time-limit"
        unreached = checklist.NO_TIME if is_late else checklist.NOT_REACHED
        by_heart = runs.by_heart() if _trains(record) else (None, unreached)
    ordered = in_order([*ordered, *_by_rate(by_heart[0], record, source, reading)])
    _add_by_heart(by_heart[0], by_heart[1], checked, not_checked)
    not_checked += unnamed
    checked = [*((c, s) for c, s in reading.checked if c != "parses"), *checked]
    not_checked = [*reading.not_checked, *not_checked]
    took = time.monotonic() - begun
    is_blamed = any(each.certain for each in ordered) or any(True for _each in _failures(done))
    broken = () if is_blamed else invariants.broken(record, runs.text)
    return Diagnosis(ordered, tuple(checked), tuple(not_checked), took, runs.stood_in, broken)


def read(source: SourceFile, context: RunContext) -> Diagnosis:
    """What the text alone shows, where it would be run; nothing is."""
    begun = time.monotonic()
    with installed.within(context.runtime.site):
        reading = source.read()
    found = tuple(from_reading(reading))
    not_checked = (*reading.not_checked, (RUN, NOT_RUN))
    return Diagnosis(found, reading.checked, not_checked, time.monotonic() - begun)


def from_reading(reading: Reading) -> Iterator[ScriptFinding]:
    """What the text shows, in the order of its lines."""
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
    """The line of a fault that the text shows, and where it may be mended besides."""
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

    listen: Listener | None = None
    cancelled: threading.Event | None = None
    is_cached_only = True
    stood_in = False
    took = 0.0

    def __init__(
        self,
        source: SourceFile,
        text: str,
        context: RunContext,
        copies: Mirror,
        until: float,
    ) -> None:
        self._source = source
        self._context = context
        self._copies = copies
        self._until = until
        name = source.path.name if source.cells is None else source.path.stem + ".py"
        self._script = copies.home / name
        self.write(text)

    def write(self, text: str) -> None:
        """Make this the text that is run."""
        self.text = text
        self._script.write_text(text, encoding=self._source.encoding, newline="\n")

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self._until - time.monotonic()

    def begin(
        self,
        stand_in: embedding.StandIn | None,
        named: Iterable[str],
        on_progress: Callable[[str], None],
    ) -> Run:
        """The first run of all, with the embedded hub if what is `named` there is not cached.

        A name may stand in the text and not be loaded: where that hub lacks something, too, and the
        cache does not, the cache it is.
        """
        done = None
        usual = self._context
        folder = self._source.path.absolute().parent
        if stand_in is None or not embedding.is_uncached(named, folder):
            on_progress(RUNNING)
            done = self.first()
        if stand_in is not None and (done is None or _lacks_of_hub(done)):
            on_progress(STANDING_IN)
            embedded = embedding.made(stand_in, self._context)
            if embedded is not None:
                tried = done
                self._context, self.stood_in = embedded, True
                done = self.first()
                if tried is None and _lacks_of_hub(done):
                    self._context = usual
                    cached = self.first()
                    self.stood_in = _lacks_of_hub(cached)
                    self._context = embedded if self.stood_in else usual
                    done = done if self.stood_in else cached
        return done or self.first()

    def first(self) -> Run:
        """The script as it is; a training that takes too long is ended between two steps."""
        return self._run(self.left * FIRST, batches=None)

    def brief(self) -> Run:
        """With a few batches of each pass only."""
        return self._run(self.left * 2 * SECOND, batches=BATCHES)

    def by_heart(self) -> tuple[one_batch.ByHeart | None, str]:
        """With the first batch again and again; why it tells nothing, if it does not."""
        if self.left < LEAST:
            return None, checklist.NO_TIME
        record = self._run(self.left, batches=None, one_batch=True).record
        found = one_batch.learned(record)
        if found is not None:
            return found, ""
        return None, checklist.NO_TIME if record.status == "time-limit" else checklist.NO_LOADER

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
        done = context.run(
            job,
            self.listen,
            cancelled=self.cancelled,
            enough=lambda _record: time.monotonic() > soon,
        )
        self.took = time.monotonic() - begun
        record = replace(done.record, places=self._places())
        return replace(done, record=invariants.with_signs(record))

    def _places(self) -> dict[int, str]:
        """What lines of the text are called: those of a cell, and those that stood elsewhere."""
        made_of = self._source.cells
        inside = cells.places(made_of) if made_of is not None else {}
        back = LineMap(self._source.text.removeprefix("\ufeff"), self.text).back
        of = {line: back(line) for line in range(1, self.text.count("\n") + 2)}
        return {n: inside.get(m, str(m)) for n, m in of.items() if m != n or m in inside}


def _ended(done: Run) -> str:
    """How a script has ended itself, with its own last word, and what it may lack."""
    printed = [line.strip() for line in done.output.splitlines() if line.strip()]
    status = done.record.exit_code
    if not printed:
        return _("it ended itself with the exit status {status}").format(status=status)
    sentence = _("it ended itself with the exit status {status}: {words}")
    ended = sentence.format(status=status, words=f"`{printed[-1].replace('`', '')}`")
    if any(line.startswith("usage: ") for line in printed):
        # Translators: of a script that wants arguments, which are written behind `--`.
        hint = _("its own arguments follow {mark}")
        ended += f" ({hint.format(mark='`--`')})"
    return ended


def _came_to_evaluation(record: RunRecord) -> bool:
    outcome = record.vitals.outcome.rows if record.vitals is not None else None
    return bool(record.evaluations or outcome)


def _trains(record: RunRecord) -> bool:
    return (record.training is not None and record.training.steps > 0) or bool(record.losses)


def _of(
    done: Run, source: SourceFile, reading: Reading, lines: LineMap, text: str
) -> Iterator[ScriptFinding]:
    """What a run of a text has shown: each failure by itself, and what is silent."""
    failures = list(_failures(done))
    yield from _of_failures(done, source, reading, lines)
    calm = replace(done.record, raised=None, swallowed=(), status="finished", exit_code=0)
    for naming in judge_script(calm, text).namings:
        if failures and not naming.certain:
            continue
        yield _found(naming, None, source, reading, lines)


def _of_failures(
    done: Run, source: SourceFile, reading: Reading, lines: LineMap
) -> Iterator[ScriptFinding]:
    """What each failure of a run is, or may be.

    A file that is missing after another failure may be what the lines left out would have written.
    """
    has_left_out = done.record.figures.get(FAILED, 0.0) > 1
    for number, error in enumerate(_failures(done)):
        record = replace(done.record, raised=error, swallowed=(), status="exception")
        may_follow = number > 0 and has_left_out and error.type == NO_FILE
        for naming in judge_script(record).namings:
            is_silent = isinstance(naming.match.signature, SilentSignature)
            found = _found(naming, None if is_silent else error, source, reading, lines)
            yield replace(found, certain=found.certain and not may_follow)


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
    for error in _failures(done):
        record = replace(done.record, raised=error, swallowed=(), status="exception")
        if any(naming.fault.id in embedding.FAULTS for naming in judge_script(record).namings):
            return True
    return False


def _found(
    naming: Naming, error: Raised | None, source: SourceFile, reading: Reading, lines: LineMap
) -> ScriptFinding:
    assert reading.script is not None
    place = locate(naming, error, reading.script, source.arguments, lines.back)
    return ScriptFinding(
        naming.fault.id,
        naming.certain,
        script_story.evidence(naming, error),
        next(iter(place.lines), None),
        None if place.file == reading.script.name else place.file,
        dict(naming.figures),
        lines=place.lines,
        given=place.gave,
        of_other=naming.fault != catalogue.catalogue()[naming.fault.id],
    )


def _unnamed(runs: list[Run], findings: list[ScriptFinding]) -> Iterator[tuple[str, str]]:
    """Failures that have no name in the catalogue: where they were, and their last line."""
    told = {finding.evidence for finding in findings}
    for error in (error for done in runs for error in _failures(done)):
        words = f"{error.name}: {story.decisive(error)}"
        if words in told:
            continue
        told.add(words)
        if error.name == "EOFError" and "reading a line" in error.message:
            words = _(NO_INPUT).format(call="`input()`")
        where = _("line {line}").format(line=error.own.line) if error.own is not None else UNNAMED
        yield where, words.rstrip(".")


def _by_rate(
    result: one_batch.ByHeart | None, record: RunRecord, source: SourceFile, reading: Reading
) -> Iterator[ScriptFinding]:
    """The learning rate, where it learns no batch by heart and is far from what is usual."""
    rate = record.vitals.rate if record.vitals is not None else None
    is_told = result is not None and result.is_finite and not result.is_learned
    if result is None or not is_told or rate is None or rate.highest is None:
        return
    optimizer = record.training.optimizer if record.training is not None else None
    low, high = USUAL.get(optimizer or "", OTHERWISE)
    low = low if rate.usual_low is None else rate.usual_low
    high = high if rate.usual_high is None else rate.usual_high
    fault = None
    if rate.highest > FAR * high:
        fault = "learning-rate-too-high"
    elif rate.highest < low / FAR:
        fault = "learning-rate-too-low"
    if fault is not None and reading.script is not None:
        sentence = _("The learning rate is {rate}, and {result}.").format(
            rate=numbers.significant(rate.highest, 3), result=_not_learned(result)
        )
        figures = {
            "rate.highest": rate.highest,
            "loss.first": result.first,
            "loss.last": result.last,
        }
        found = find(reading.script, fault, Clue(arguments=source.arguments))
        line = next(iter(found.lines), None)
        yield ScriptFinding(
            fault, True, sentence, line, figures=figures, lines=found.lines, given=found.gave
        )


def _not_learned(result: one_batch.ByHeart) -> str:
    return _(checklist.NOT_LEARNED).format(
        first=numbers.significant(result.first, 3),
        last=numbers.significant(result.last, 3),
        steps=result.steps,
    )


def _add_by_heart(
    result: one_batch.ByHeart | None,
    why: str,
    checked: list[tuple[str, str]],
    not_checked: list[tuple[str, str]],
) -> None:
    """Enter what came of one batch."""
    if result is None:
        not_checked.append((checklist.ONE_BATCH, why))
    elif not result.is_finite:
        not_checked.append((checklist.ONE_BATCH, checklist.NOT_FINITE))
    elif result.is_learned:
        checked.append((checklist.ONE_BATCH, "optimizer"))
    else:
        not_checked.append((checklist.ONE_BATCH, _not_learned(result)))
