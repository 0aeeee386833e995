"""Run a script under a runtime, in a folder of its own, and read what its probe reports."""

import json
import os
import shutil
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from course.base.i18n import N_, _
from course.runs.child import Child, ColdChild, ProcessLost, Request, inherited, unchanged
from course.runs.conversation import Ask, Converse, Exchange, read
from course.runs.device_errors import with_cause
from course.runs.environment.runtime import Runtime
from course.runs.record import UNREADABLE, Builder, RunRecord, RunStatus, parse
from course.runs.warm_pool import Unavailable, Warm
from course_probe.diagnosis.order import DiagnosisOrder
from course_probe.events import AskKind, RunEvent

TIMEOUT = 600.0
"""Seconds after which a run is stopped, unless the user says otherwise."""
OUTPUT_CAP = 64 * 2**20
"""Bytes that a run may print before it is stopped."""
OWN_OUTPUT_CAP = 2**30
"""The same for a script of the user's own, whose training may take days."""
POLL = 0.03
"""Seconds between two looks at a running process: short against what a person notices."""
SHOWN = 4000
"""Characters of a run's own output that are kept: its end, where the trouble is."""
KEPT = 50
"""Outputs that are kept whole, one of each copy: the newest."""
JOURNAL = "journal.jsonl"
"""The file that a run is reported to, in the folder of the run."""
STOP = "stop"
"""The file beside the journal that tells a run that enough has been seen of it."""
TELLING = frozenset({"loss", "figures", "vitals", "ledger"})
"""Events after which enough may have been seen."""
LOST = N_("The warm runtime ended during the run, so the script was run again without it.")

_running: set[Child] = set()

Listener = Callable[[dict[str, Any]], None]
Enough = Callable[[RunRecord], bool]
"""Whether the record of a run under way tells all there is to tell: the training is stopped."""


@dataclass(frozen=True)
class Run:
    """A run that is over: its record, the lines it was read from, the end of its output.

    `warm` tells whether it began in a warm runtime; `note` is a sentence for the user where it
    was to and could not.
    """

    record: RunRecord
    lines: tuple[str, ...]
    output: str
    warm: bool = False
    note: str = ""


@dataclass(frozen=True)
class InPlace:
    """Where a script of the user's own runs: as it would without us.

    `folder` is the working directory. A file at `path` is run itself; without one it is the job's
    text, as if it lay in the folder `home` (a notebook's). `module` is run in place of either, as
    `python -m` does. `named` is what the script finds as its own name, before its `arguments`.
    """

    folder: Path
    named: str
    path: Path | None = None
    home: Path | None = None
    module: str | None = None
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job:
    """What to run: the text of a script, the looks after it, and where its neighbours lie.

    It runs as a file called `name` in an empty folder; modules in the folder `beside` are found
    as if it lay there. `processes` is how many `accelerate launch` is to run it in; 0 for none.
    `asks` is what it may ask for where there is somebody to converse with.
    All that it prints is left in the file `keep`, in place of what an earlier run has left there.
    A script of the user's own runs `in_place`, in the environment that the user has; with a
    `diagnosis` it goes on after what fails.
    """

    script: str
    looks: tuple[str, ...] = ()
    name: str = "exercise.py"
    beside: Path | None = None
    processes: int = 0
    asks: tuple[AskKind, ...] = ("look", "input", "debugger")
    keep: Path | None = None
    in_place: InPlace | None = None
    diagnosis: DiagnosisOrder | None = None


def run(
    runtime: Runtime,
    job: Job,
    *,
    environment: Mapping[str, str],
    device: str | None = None,
    timeout: float = TIMEOUT,
    listen: Listener | None = None,
    warm: Warm | None = None,
    cancelled: threading.Event | None = None,
    enough: Enough | None = None,
    converse: Converse | None = None,
) -> Run:
    """Run a script to its end, and the looks after it; never raises for its faults.

    Args:
        runtime: the interpreter.
        job: the script, its looks, its name.
        environment: variables to set on top of this process's own.
        device: `cpu`, or `cuda` where the runtime has it; if not given, the CPU for a lesson, and
            for a script of the user's own whatever it finds.
        timeout: seconds for the script and its looks together.
        listen: called with each event of the run record as it comes in; with `{"event": "again"}`
            where what came in so far no longer counts; at the end with `{"event": "kept"}` and the
            name of the `file` that holds all that was printed, where that is kept.
        warm: where to find a process with the imports done; the record is the same without one.
        cancelled: stops the run when it is set; its status is `interrupted` then.
        enough: asked at each loss and at each figure; once it holds, the training is stopped
            between two steps and the looks follow; the status is `stopped` then.
        converse: called where the script waits for input, for a command of the debugger or, once it
            has ended and its looks are done, for more looks; see `Converse`. The time limit stands
            still meanwhile, but holds for each look. The record is that of the script all the same.

    A script of the user's own hears of Ctrl-C itself first, as it would without us: it may save
    what it has. Listeners get `{"event": "interrupted"}` then; the second time it is stopped.

    Raises:
        KeyboardInterrupt: passed on, once the run's whole process tree is gone.
        OSError: no process, or no folder to run it in, could be made.

    """
    own = job.in_place is not None
    place = device or (None if own else "cpu")
    kept_off = keep_off_gpu() if place == "cpu" else {}
    variables = {**(unchanged() if own else inherited()), **kept_off, **environment}
    note = ""

    def once(warm: Warm | None) -> Run:
        with tempfile.TemporaryDirectory(prefix="course-run-", ignore_cleanup_errors=True) as made:
            folder = Path(made)
            request = _request(folder, job, variables, is_attended=converse is not None)
            child = warm.start(request) if warm is not None else ColdChild(runtime.python, request)
            cap = OWN_OUTPUT_CAP if own else OUTPUT_CAP
            attending = _Attending(folder, listen, cancelled, enough, converse, cap)
            attending.tells_of_interrupts = own and job.diagnosis is None
            began = time.monotonic()
            done = attending.attend(child, timeout, warm=warm is not None)
            if not done.record.seconds:
                # What was ended from outside could not say how long it took.
                seconds = round(time.monotonic() - began, 3)
                done = replace(done, record=replace(done.record, seconds=seconds))
            if own:
                # A lesson shows such an error as it comes.
                done = replace(done, record=with_cause(done.record, folder / "output"))
            done = _keep(done, folder / "output", job.keep, listen)
            if attending.is_interrupted:
                raise KeyboardInterrupt
            return done

    # A CUDA context does not survive a fork, so what is to run on a GPU begins from cold.
    if warm is not None and device != "cuda" and not job.processes:
        try:
            return once(warm)
        except Unavailable as why:
            note = str(why)
        except ProcessLost:
            note = _(LOST)
        if listen is not None:
            listen({"event": "again"})
    done = once(None)
    return Run(done.record, done.lines, done.output, note=note)


def stop_all() -> None:
    """Stop every run that is under way in any thread; each then returns as one that died."""
    for child in list(_running):
        child.end()


def keep_off_gpu() -> dict[str, str]:
    """Return the variables that keep a run on the CPU, whatever accelerators there are.

    Apple's GPU is never chosen: a label out of range may raise nothing there, and the lesson
    would show a fault that does not bite.
    """
    return {"ACCELERATE_USE_CPU": "1", "CUDA_VISIBLE_DEVICES": ""}


def _request(folder: Path, job: Job, variables: Mapping[str, str], *, is_attended: bool) -> Request:
    """Lay out the folder of one run."""
    target, journal = folder / "run" / job.name, folder / JOURNAL
    own = job.in_place
    target.parent.mkdir()
    if own is not None and own.path is not None:
        target = own.path
    else:
        target.write_text(job.script, encoding="utf-8", newline="\n")
    journal.touch()
    (folder / "output").touch()
    beside = str(job.beside) if job.beside is not None else None
    order: dict[str, Any] = {
        "script": str(target),
        "journal": str(journal),
        "stop": str(folder / STOP),
        "looks": list(job.looks),
        "beside": beside,
        "listens": True,
    }
    if own is not None:
        order["own"] = {
            "named": own.named,
            "arguments": list(own.arguments),
            "home": str(own.home) if own.home is not None else None,
            "module": own.module,
        }
    if job.diagnosis is not None:
        order["diagnosis"] = job.diagnosis
    if is_attended:
        order["converse"] = {
            "folder": str(folder),
            "parent": os.getpid(),
            "kinds": list(job.asks),
        }
    (folder / "job.json").write_text(json.dumps(order))
    if own is not None:
        return Request(
            job=folder / "job.json",
            folder=own.folder,
            output=folder / "output",
            environment=variables,
            hears=not is_attended,
        )
    return Request(
        job=folder / "job.json",
        folder=target.parent,
        output=folder / "output",
        environment={**variables, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))},
        beside=beside,
        processes=job.processes,
    )


def _keep(done: Run, output: Path, keep: Path | None, listen: Listener | None) -> Run:
    """Leave the whole output where its reader can open it; a full disk is no reason to fail."""
    if keep is None:
        return done
    try:
        keep.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(output, keep)
        files = sorted(keep.parent.glob(f"*{keep.suffix}"), key=lambda file: file.stat().st_mtime)
        for old in files[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        return done
    if listen is not None:
        listen({"event": "kept", "file": str(keep)})
    kept = done.record.output.kept(str(keep))
    return replace(done, record=replace(done.record, output=kept))


@dataclass
class _Attending:
    """Following one run to its end, whatever that is."""

    place: Path
    listen: Listener | None
    cancelled: threading.Event | None
    enough: Enough | None
    converse: Converse | None = None
    cap: int = OUTPUT_CAP

    def __post_init__(self) -> None:
        self.tells_of_interrupts = False
        self.is_interrupted = False
        self._so_far = Builder()
        self._ask: Ask | None = None
        self._ended: int | None = None
        self._unheard: deque[str] = deque()

    def attend(self, child: Child, timeout: float, *, warm: bool) -> Run:
        """Wait for the end of the run, and read what it left.

        Raises:
            ProcessLost: the warm runtime is gone, and with it the child.

        """
        _running.add(child)
        try:
            status, lines = self._follow(child, timeout)
        finally:
            child.end()
            _running.discard(child)
        sentence = (self.place / "output").read_bytes()[-SHOWN:].decode("utf-8", "replace")
        # A script that was looked into has its exit status, however its process ended.
        exit_code = child.exit if self.converse is None or self._ended is None else self._ended
        return Run(parse(lines, status, exit_code), tuple(lines), sentence, warm)

    def _follow(self, child: Child, timeout: float) -> tuple[RunStatus | None, list[str]]:
        """Read the journal while the child runs; why it was stopped, if it was, and the lines."""
        self._deadline = time.monotonic() + timeout
        lines: list[str] = []
        status: RunStatus | None = None
        with (self.place / JOURNAL).open(encoding="utf-8", errors="replace") as stream:
            over = False
            rest = ""
            while True:
                try:
                    rest += stream.read()
                    *whole, rest = rest.split("\n")
                    self._unheard.extend(whole)
                    self._hear_lines(lines)
                    if over or status:
                        break
                    status, over = self._wait(child, lines, timeout)
                except KeyboardInterrupt:
                    if self.is_interrupted or not self.tells_of_interrupts:
                        raise
                    self._interrupt(child)
        return ("interrupted" if self.is_interrupted else status), lines

    def _hear_lines(self, lines: list[str]) -> None:
        while self._unheard:
            lines.append(self._unheard.popleft())
            # The script could have written here too; a strange line is no reason to stop.
            with suppress(*UNREADABLE):
                self._hear(json.loads(lines[-1]))

    def _wait(self, child: Child, lines: list[str], limit: float) -> tuple[RunStatus | None, bool]:
        """Answer what is asked, or wait a moment; why the run is to be stopped, and if it is over.

        Raises:
            ProcessLost: the warm runtime is gone, and with it the child.

        """
        if self._ask is not None:
            began = time.monotonic()
            ask, self._ask = self._ask, None
            over = not self._answer(ask, lines, child, limit)
            self._deadline += time.monotonic() - began
            return None, over
        if self._is_cancelled():
            return "interrupted", False
        if time.monotonic() > self._deadline:
            return "time-limit", False
        if (self.place / "output").stat().st_size > self.cap:
            return "output-limit", False
        return None, child.wait(POLL)

    def _interrupt(self, child: Child) -> None:
        """Have the script hear that somebody has pressed Ctrl-C."""
        self.is_interrupted = True
        child.interrupt()
        if self.listen is not None:
            self.listen({"event": "interrupted"})

    def _is_cancelled(self) -> bool:
        return self.cancelled is not None and self.cancelled.is_set()

    def _answer(self, ask: Ask, lines: list[str], child: Child, limit: float) -> bool:
        """Answer what the script asks for; whether the child is still there to go on."""
        assert self.converse is not None
        # Before its end a run is not over; afterwards nothing that comes changes how it ended.
        status: RunStatus | None = "finished" if self._ended is None else None
        exchange = Exchange(self.place, child, self.converse, limit, self._is_cancelled)
        return exchange.attend(replace(ask, record=parse(lines, status, self._ended)))

    def _hear(self, event: dict[str, Any]) -> None:
        if event["event"] == "end":
            self._ended = int(event["exit"])
        if self.converse is not None and event["event"] == "ask":
            self._ask = read(event)
        if self.listen is not None:
            self.listen(event)
        if self.enough is None:
            return
        # Not known to be one: what is not of its form raises one of UNREADABLE.
        self._so_far.add(cast(RunEvent, event))
        if event["event"] in TELLING and self.enough(self._so_far.build("finished", None)):
            (self.place / STOP).touch()
            self.enough = None
