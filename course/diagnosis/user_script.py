"""Run a script of the user's own, or a notebook, as it is, and judge what it showed.

What judges a run is imported after it has begun: nobody waits for that while the script runs.
"""

import contextlib
import errno
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from course.base import paths
from course.base.errors import UserError
from course.base.i18n import _
from course.lesson.lesson import Look
from course.notebook.cells import notebook, script
from course.notebook.cells.script import Script
from course.runs import hub as hubs
from course.runs.conversation import Ask, Converse, FrameLook
from course.runs.environment import interpreter
from course.runs.environment.runtime import (
    Runtime,
    RuntimeMissing,
    describe,
    frameworks,
    locate,
    own,
)
from course.runs.hub import Hub
from course.runs.process import InPlace, Job, Listener, Run
from course.runs.record import UNREADABLE, Builder, RunRecord
from course.runs.run_context import RunContext
from course_probe.events import AskKind, RunEvent

if TYPE_CHECKING:
    from course.judge.script_verdict import Naming, ScriptVerdict

FRAMEWORK = "own"
"""In place of the name of a framework: a script may use any."""
NO_LIMIT = float("inf")
TellNaming = Callable[["Naming"], None]


@dataclass(frozen=True)
class UserScript:
    """A script, or a notebook as a script of its `cells`, or a module; and its `arguments`."""

    path: Path | None
    module: str | None = None
    cells: Script | None = None
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is called."""
        return self.path.name if self.path is not None else str(self.module)

    @property
    def text(self) -> str:
        """What runs: a notebook's as a script; nothing of a module, or if it is unreadable."""
        if self.cells is not None:
            return self.cells.text
        if self.path is None:
            return ""
        try:
            return self.path.read_text("utf-8-sig")
        except (OSError, ValueError):
            return ""

    @property
    def job(self) -> Job:
        """What is to run, and where."""
        asks: tuple[AskKind, ...] = ("input", "debugger")
        keep = paths.output(self.path if self.path is not None else Path(self.module or ""))
        folder = Path.cwd()
        if self.path is None:
            place = InPlace(folder, self.name, module=self.module, arguments=self.arguments)
            return Job("", name="module.py", asks=asks, keep=keep, in_place=place)
        path = self.path.absolute()
        if self.cells is None:
            place = InPlace(folder, str(self.path), path, arguments=self.arguments)
            return Job("", name=path.name, asks=asks, keep=keep, in_place=place)
        home = Path(os.path.realpath(path)).parent
        # A notebook runs in the folder that it lies in, as a kernel does.
        place = InPlace(home, path.name, home=home, arguments=self.arguments)
        return Job(self.cells.text, name=path.name, asks=asks, keep=keep, in_place=place)

    @property
    def note(self) -> str:
        """A sentence where lines of a notebook are not run; mostly empty."""
        return self.cells.note if self.cells is not None else ""


@dataclass(frozen=True)
class ScriptRun:
    """A run of a script, and what it showed."""

    script: UserScript
    run: Run
    verdict: "ScriptVerdict"


@dataclass(frozen=True)
class StoppableUserScript:
    """A script of the user's own to look into: nothing of the run is judged or kept."""

    written: UserScript

    @property
    def path(self) -> Path:
        """Return where its text lies; of a module, its name."""
        return self.written.path or Path(self.written.name)

    def run(
        self,
        context: RunContext,
        converse: Converse,
        asks: tuple[AskKind, ...],
        listen: Listener | None = None,
    ) -> Run:
        """Run it to where it stops, and have what it asks answered."""

        def placed(ask: Ask) -> str | FrameLook | None:
            return converse(replace(ask, record=_placed(ask.record, self.written)))

        done = context.run(replace(self.written.job, asks=asks), listen, converse=placed)
        return replace(done, record=_placed(done.record, self.written))

    def suggestions(self, record: RunRecord, *, online: bool) -> tuple[Look, ...]:
        """Return nothing: no lesson has looks for it."""
        return ()


def read(path: Path, arguments: tuple[str, ...] = ()) -> UserScript:
    """Read a script or a notebook; Python itself reports faults in the text of a script.

    Raises:
        UserError: the file is not there or may not be read, or the notebook could not be run.

    """
    if not path.exists():
        raise UserError(_("There is no file {file}.").format(file=f"`{path}`"))
    if path.is_dir():
        sentence = _("{path} is a folder. Give the name of a file in it, such as {file}.")
        raise UserError(sentence.format(path=f"`{path}`", file=f"`{path / 'train.py'}`"))
    if not notebook.is_notebook(path.name):
        if not os.access(path, os.R_OK):
            sentence = _("{path} cannot be read: {reason}.")
            raise UserError(sentence.format(path=f"`{path}`", reason=os.strerror(errno.EACCES)))
        return UserScript(path, arguments=arguments)
    text = path.read_text("utf-8", errors="replace")
    cells = script.of(notebook.read(text, path.name))
    return UserScript(path, cells=cells, arguments=arguments)


def find_context(python: str | None, hub: str | None, timeout: float | None) -> RunContext:
    """Where scripts of the user's own run: in the environment that is in use, changed in nothing.

    `python` names another interpreter. The hub is the real one, unless the embedded is asked for.

    Raises:
        UserError: that interpreter does not start, or there is no such hub.

    """
    hubs.check(hub)
    environment = own()
    command = python or _active()
    if command is not None:
        found = interpreter.ask(command)
        if found is None:
            sentence = _("{python} is not a Python interpreter, or does not start.")
            raise UserError(sentence.format(python=f"`{command}`"))
        environment = replace(
            environment, source="named", python=command, version=found.release, site=found.site
        )
    versions = {"python": environment.version}
    runtime = Runtime(FRAMEWORK, environment.python, versions, environment.site)
    limit = NO_LIMIT if timeout is None else timeout
    context = RunContext(runtime, Hub(hubs.ONLINE), timeout=limit)
    return on_embedded_hub(context) if hub == hubs.EMBEDDED else context


def on_embedded_hub(context: RunContext) -> RunContext:
    """Return the same context with the embedded hub, which is laid out first if need be."""
    # Its weights are made for a framework that can't read those that ship.
    named = _framework(context.runtime)
    runtime = replace(context.runtime, framework=named) if named else context.runtime
    return replace(context, hub=hubs.embedded(runtime))


def _framework(runtime: Runtime) -> str | None:
    """Find a framework with a runtime of its own, all of whose modules this environment has."""
    for framework in frameworks():
        recipe = describe(framework).recipe
        modules = recipe.modules if recipe is not None else ()
        if modules and all(_has(runtime, module) for module in modules):
            return framework
    return None


def _has(runtime: Runtime, module: str) -> bool:
    return any(Path(folder, module).exists() for folder in runtime.site)


@dataclass(frozen=True)
class Beside:
    """A `library` that a script's text needs and its environment lacks.

    It belongs to a `framework`; `python` is that of our environment for it, None where it was not
    made yet.
    """

    library: str
    framework: str
    python: str | None

    def sentence(self, *, is_taken: bool) -> str:
        """Explain it to the user, where a script is not run with it or `is_taken` to it."""
        sentence = _(
            "This environment does not have {library}. To get an environment with this library: "
            "{command}."
        )
        library = f"`{self.library}`"
        if self.python is None:
            command = f"`course runtime install {self.framework}`"
        else:
            command = f"`{self.python}`" if is_taken else f"`--python {self.python}`"
        return sentence.format(library=library, command=command)


def find_beside(text: str, runtime: Runtime) -> Beside | None:
    """Find a library that a script needs, its environment lacks and a runtime has or can have."""
    for framework in frameworks():
        found = describe(framework)
        recipe = found.recipe
        if recipe is None or not found.needed_by or not re.search(found.needed_by, text, re.M):
            continue
        library = recipe.modules[0]
        if not _has(runtime, library):
            python = None
            with contextlib.suppress(RuntimeMissing):
                python = locate(framework).python
            return Beside(library, framework, python)
    return None


def find_diagnosed(
    text: str, python: str | None, hub: str | None, *, static: bool
) -> tuple[RunContext, Beside | None]:
    """Where a script is diagnosed, and what its own environment lacks.

    Without its framework hardly anything of it runs: then it is run in our environment that has it,
    unless an interpreter was named or it is only read.

    Raises:
        UserError: as `find_context`.

    """
    context = find_context(python, hub, None)
    beside = find_beside(text, context.runtime)
    if beside is not None and beside.python is not None and python is None and not static:
        context = find_context(beside.python, hub, None)
    return context, beside


def _active() -> str | None:
    """Return the Python of an active virtual environment, unless this process runs in it."""
    folder = os.environ.get("VIRTUAL_ENV")
    if not folder or os.path.realpath(folder) == os.path.realpath(sys.prefix):
        return None
    inside = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    python = os.path.join(folder, *inside)
    return python if os.path.isfile(python) else None


def run(
    written: UserScript,
    context: RunContext,
    listen: Listener | None = None,
    converse: Converse | None = None,
    tell: TellNaming | None = None,
) -> ScriptRun:
    """Run a script to its end, and judge it; `tell` is called as soon as a fault is certain."""
    early = EarlyWord(tell, written) if tell is not None else None

    def hear(event: dict[str, Any]) -> None:
        if listen is not None:
            listen(event)
        if early is not None:
            early.hear(event)

    begun = time.monotonic()
    done = context.run(written.job, hear, converse=converse)
    if not done.record.seconds:
        # A script that was cut off could not say how long it ran.
        took = round(time.monotonic() - begun, 3)
        done = replace(done, record=replace(done.record, seconds=took))
    done = replace(done, record=_placed(done.record, written))
    from course.judge.broken_rules import with_signs
    from course.judge.script_verdict import judge_script

    done = replace(done, record=with_signs(done.record))
    return ScriptRun(written, done, judge_script(done.record, written.text))


def _placed(record: RunRecord, written: UserScript) -> RunRecord:
    """Return the record with the cells of a notebook in place of the lines of its script."""
    if written.cells is None:
        return record
    from course.judge.cells import placed

    return placed(record, written.cells)


class EarlyWord:
    """Says while a script runs what is certain already, once for each fault."""

    def __init__(self, tell: TellNaming, written: UserScript) -> None:
        self._tell = tell
        self._written = written
        self._so_far = Builder()
        self._told: set[str] = set()

    def hear(self, event: dict[str, Any]) -> None:
        """Take in an event, which the script could have written too."""
        try:
            self._so_far.add(cast(RunEvent, event))
        except UNREADABLE:
            return
        if event.get("event") not in ("figures", "vitals", "ledger"):
            return
        from course.judge.script_verdict import judge_script

        record = _placed(self._so_far.build("finished", None), self._written)
        for naming in judge_script(record, self._written.text).namings:
            if naming.certain and naming.early and naming.fault.id not in self._told:
                self._told.add(naming.fault.id)
                self._tell(naming)
