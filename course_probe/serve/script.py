"""Run a script as `python script.py` would, and report how it went."""

import ast
import builtins
import contextlib
import importlib
import importlib.util
import io
import linecache
import os
import platform
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, NotRequired, TypedDict

from course_probe import exception_report
from course_probe.after_import import call_after_import
from course_probe.event_log import EventLog, Stopped, cut
from course_probe.events import (
    FORMAT,
    EndEvent,
    LineEvent,
    LookEvent,
    LookOutput,
    OursEvent,
    OutputStream,
    StartEvent,
    StoppedEvent,
)
from course_probe.exception_report import Own, OwnFolder, OwnScript
from course_probe.guard import TRACES
from course_probe.instrument import Instrument
from course_probe.ledger.instrument import LedgerInstrument
from course_probe.serve import own_frames
from course_probe.serve.conversation import Conversation, ConverseOrder, DebuggerQuit
from course_probe.serve.leaving import leave_sooner
from course_probe.serve.streams import OutputStreams

if TYPE_CHECKING:
    from course_probe.diagnosis.bridges import Bridges
    from course_probe.diagnosis.order import DiagnosisOrder
    from course_probe.exam.adapted_calls import Adaptations
    from course_probe.exam.examination import ExamOrder

LIBRARIES = (
    *("torch", "tensorflow", "tf_keras", "keras", "transformers", "datasets", "evaluate"),
    *("accelerate", "numpy"),
)


STARTED = frozenset(
    {"_collections_abc", "_sitebuiltins", "abc", "builtins", "codecs", "encodings", "genericpath"}
    | {"importlib", "io", "ntpath", "os", "posixpath", "site", "stat", "sys", "zipimport"}
)
"""Modules that Python imports before any script: no file of the same name hides them."""


class OwnOrder(TypedDict):
    """How a script of the user's own runs: as it would without us.

    `named` is what it finds as `sys.argv[0]`, before its `arguments`; its modules lie in the folder
    `home`, or beside it where that is null. `module` is run in its place, as `python -m` does.
    """

    named: str
    arguments: list[str]
    home: str | None
    module: str | None


class ScriptJob(TypedDict):
    """What to run: the paths of the script and of the file that its events are appended to.

    A training ends once there is a file `stop`. `looks` are code, to be evaluated after the script.
    Modules that lie in the folder `beside` are found as if the script lay there. With `exam` the
    script is examined instead of looked into; with `converse` there is somebody to ask. With
    `listens` its output is told in events, too. With `own` it is one of the user's own, which ends
    as Python ends a script; with `diagnosis` it goes on after what fails. With `adapts` it is
    graded: calls that can't be made here are adapted, and no code runs that its text doesn't show.
    """

    script: str
    journal: str | int
    stop: str
    looks: list[str]
    beside: str | None
    exam: NotRequired["ExamOrder"]
    converse: NotRequired[ConverseOrder]
    listens: NotRequired[bool]
    own: NotRequired[OwnOrder]
    diagnosis: NotRequired["DiagnosisOrder"]
    adapts: NotRequired["Adaptations"]


def main(
    job: ScriptJob, last: Callable[[int], None] | None = None, *, is_alone: bool = False
) -> NoReturn:
    """Do one job, call `last` with the script's exit status, and end the process with it.

    Where the process is there for this job alone, a script of the user's own ends as ever.

    Raises:
        SystemExit: the end of such a script, which Python is to see to.
        KeyboardInterrupt: the same, of one that was interrupted.

    """
    ends_as_ever = "own" in job and is_alone
    if ends_as_ever:
        leave_sooner()
    with open(job["journal"], "a", encoding="utf-8") as stream:
        log = EventLog(stream, job["stop"])
        status = run(Path(job["script"]), log, job)
    for each in (sys.stdout, sys.stderr):
        # The script may have closed it, or put something else in its place.
        with contextlib.suppress(Exception):
            each.flush()
    if last is not None:
        last(status)
    if not ends_as_ever:
        # Nobody waits for what frameworks do at exit (threads to join, caches to write).
        os._exit(status)
    # What a script has left open is closed, and what it has registered is called.
    if status == -signal.SIGINT:
        # Said already; the process still has to end by the signal.
        sys.excepthook = lambda *_: None
        raise KeyboardInterrupt
    sys.exit(status)


def end_with_parent(parent: int) -> None:
    """Have the kernel end this process when `parent`, which started it, does (Linux only)."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1 is PR_SET_PDEATHSIG, see prctl(2)
        if os.getppid() != parent:
            os._exit(1)


def run(script: Path, log: EventLog, job: ScriptJob) -> int:
    """Run the script, then the looks in what it left behind; the exit status of the script."""
    began = time.perf_counter()
    log.write(StartEvent(event="start", format=FORMAT, versions=versions()))
    main_module = _made_main(script)
    sys.modules["__main__"] = main_module
    sys.argv = [str(script)]
    sys.path[0] = str(script.parent)
    if job["beside"] is not None:
        sys.path.insert(1, job["beside"])
    importlib.invalidate_caches()
    own: Own = OwnScript(script)
    if "own" in job:
        script, own = _place(script, job["own"], main_module)

    def report_failure(error: BaseException, *, worker: bool = False) -> None:
        exception_report.report_failure(error, own, log, worker=worker)

    instrument: Instrument | LedgerInstrument
    if "exam" in job:
        instrument = Instrument(log, report_failure, examined=True)
    else:
        instrument = LedgerInstrument(log, own, report_failure, of_lesson="own" not in job)
    instrument.install()
    if "adapts" in job:
        from course_probe.exam import adapted_calls, hidden_code

        adapted_calls.install(job["adapts"], str(script), log)
        hidden_code.install()
    conversation = Conversation(job.get("converse"), log)
    conversation.install()
    own_frames.install()
    streams = OutputStreams(script, own, log)
    if job.get("listens"):
        streams.install()
    statements = _statements(script, main_module.__dict__, log)
    process = os.getpid()
    status = _carry_out(statements, script, job, own, log, streams)
    if os.getpid() != process:
        # A process that the script has forked comes to its end here, too: it tells nothing.
        return status
    streams.finish()
    if status == 0 or "diagnosis" in job:
        instrument.finish()
    elif "own" in job:
        # What was measured before an exception may be what has led to it.
        instrument.finish(ended=False)
    _tell_of_us(log)
    log.looking = True
    for index, code in enumerate(job["looks"]):
        event: LookEvent = {"event": "look", **look(code, main_module.__dict__), "index": index}
        log.write(event)
    seconds = round(time.perf_counter() - began, 3)
    log.write(EndEvent(event="end", seconds=seconds, exit=status))
    conversation.hold(main_module.__dict__, own, look)
    return status


def _carry_out(
    statements: "Iterator[ScriptStatement]",
    script: Path,
    job: ScriptJob,
    own: Own,
    log: EventLog,
    streams: OutputStreams,
) -> int:
    """Run the statements as the job asks; the exit status of the script."""
    if "diagnosis" in job:
        from course_probe.diagnosis import onward
        from course_probe.diagnosis.bridges import Bridges

        def report_failure(error: BaseException, *, worker: bool = False) -> None:
            exception_report.report_failure(error, own, log, worker=worker)

        bridges = Bridges(own, report_failure)
        _prepare(job["diagnosis"], bridges, log)
        return onward.execute(statements, log, bridges.report)
    if "exam" in job:
        from course_probe.exam import execution
        from course_probe.exam.examination import Examination

        def report_exception(error: BaseException) -> None:
            exception_report.report_exception(error, own, log)

        examination = Examination(job["exam"], log)
        return execution.execute(statements, examination, log, report_exception)
    unwatched = _unwatched(script, job.get("own"), streams)
    return _execute(statements, own, log, streams.say, unwatched)


def _made_main(script: Path) -> ModuleType:
    """Make the module that a script runs in, with all that this version of Python gives it."""
    made = ModuleType("__main__")
    made.__file__ = str(script)
    vars(made)["__builtins__"] = builtins
    made.__loader__ = importlib.machinery.SourceFileLoader("__main__", str(script))
    known = vars(sys.modules["__main__"])
    if "__cached__" in known:
        vars(made)["__cached__"] = None
    if "__annotations__" in known:
        vars(made)["__annotations__"] = {}
    return made


def _tell_of_us(log: EventLog) -> None:
    """Write what of ours has gone wrong, without harm to the script."""
    for trace in TRACES:
        log.write(OursEvent(event="ours", trace=cut(trace), ended=False))


def _unwatched(
    script: Path, order: OwnOrder | None, streams: OutputStreams
) -> Callable[[], int] | None:
    """Return what runs a script of the user's own in a new process, without anything of ours."""
    if order is None:
        return None

    def run_again() -> int:
        what = [order["named"]] if order["module"] is None else ["-m", order["module"]]
        if order["module"] is None and not os.path.exists(order["named"]):
            what = [str(script)]
        environment = dict(os.environ)
        if order["home"] is not None:
            folders = [order["home"], environment.get("PYTHONPATH", "")]
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
        command = [sys.executable, *what, *order["arguments"]]
        # Its lines are shown as those of the watched run are.
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

        def pump(name: OutputStream, found: Iterable[str]) -> None:
            for line in found:
                streams.relay(name, line)

        pumps = [
            threading.Thread(target=pump, args=["stdout", process.stdout]),
            threading.Thread(target=pump, args=["stderr", process.stderr]),
        ]
        for each in pumps:
            each.start()
        for each in pumps:
            each.join()
        return process.wait()

    return run_again


def _prepare(order: "DiagnosisOrder", bridges: "Bridges", log: EventLog) -> None:
    """Have a script leave nothing behind, go on after what fails, and train as briefly as asked."""
    from course_probe.diagnosis.restraint import Restraint
    from course_probe.diagnosis.shortening import Shortening

    Restraint(Path(order["scratch"]), Path(order["root"])).install()
    bridges.install()
    if order["batches"] is not None or order["one_batch"]:

        def tell() -> None:
            log.write_figures({"batch_repeated": 1.0}, lasting=True)

        shortening = Shortening(order["batches"], one_batch=order["one_batch"], tell=tell)
        call_after_import("torch.utils.data.dataloader", shortening.hook)


def _place(script: Path, order: OwnOrder, main_module: ModuleType) -> tuple[Path, Own]:
    """Put a script of the user's own in its place; its file, and what is the user's own code.

    A module that can't be found is told by what its import raises, once the script runs.
    """
    home = Path(order["home"] or os.path.dirname(os.path.realpath(script)))
    sys.path[0] = str(home)
    _forget_hidden(home)
    if order["module"] is not None:
        home = Path.cwd()
        sys.path[0] = str(home)
        script = _find_module(order["module"], main_module, script)
        sys.argv = [str(script), *order["arguments"]]
    else:
        sys.argv = [order["named"], *order["arguments"]]
    sys.orig_argv = [*sys.orig_argv[:1], *sys.argv]
    main_module.__file__ = str(script)
    return script, OwnFolder(script, home)


def _forget_hidden(home: Path) -> None:
    """Have a file of the user's that is called as a module of Python's hide that, as ever.

    We have imported some that Python itself does not: those the script is to import anew.
    """
    own = {path.stem for path in home.glob("*.py")}
    own |= {path.parent.name for path in home.glob("*/__init__.py")}
    for name in own & sys.stdlib_module_names - STARTED:
        for known in [m for m in sys.modules if m.partition(".")[0] == name]:
            del sys.modules[known]


def _find_module(name: str, main_module: ModuleType, failed: Path) -> Path:
    """Find the file of a module that is to run as the script, as `runpy` finds it.

    Of a module that is not there, the file `failed`: it is made to import that.
    """
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except ImportError:
        spec = None
    if spec is None or spec.origin is None:
        failed.write_text(f"import {name}\nimport {name}.__main__\n", encoding="utf-8")
        return failed
    main_module.__spec__ = spec
    main_module.__loader__ = spec.loader
    main_module.__package__ = spec.parent
    if "__cached__" in vars(main_module):
        vars(main_module)["__cached__"] = spec.cached
    return Path(spec.origin)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the frameworks' libraries."""
    listed = _distributions()
    known = {name: listed[name] for name in LIBRARIES if name in listed}
    found = {name: version or _version_within(name) for name, version in known.items()}
    return {"python": platform.python_version(), **found}


def _distributions() -> dict[str, str]:
    """List what is installed, and its version where the name of its folder has it.

    So it does in all that pip has installed, see
    https://packaging.python.org/en/latest/specifications/recording-installed-packages; to read what
    lies in each folder takes several times as long, at the start of every run.
    """
    found: dict[str, str] = {}
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for entry in os.listdir(folder or os.curdir):
                stem, kind = os.path.splitext(entry)
                if kind in (".dist-info", ".egg-info"):
                    name, _, version = stem.partition("-")
                    found.setdefault(name.lower(), version if kind == ".dist-info" else "")
    return found


def _version_within(name: str) -> str:
    import importlib.metadata

    return importlib.metadata.version(name)


class ScriptStatement:
    """One statement of a script, to be run where its names are kept."""

    def __init__(
        self, node: ast.stmt, script: Path, namespace: dict[str, Any], flags: int = 0
    ) -> None:
        self._node = node
        self._script = script
        self._namespace = namespace
        self.line = node.lineno
        self._code = compile(
            ast.Module([node], []), str(script), "exec", flags=flags, dont_inherit=True
        )
        self.names = frozenset(_bound(node))
        # `from __future__ import …` holds for all that follows, as it would in one piece.
        self.flags = flags | (self._code.co_flags & _FUTURE)

    def run(self) -> None:
        """Run it."""
        exec(self._code, self._namespace)

    def remains(self) -> "Iterator[ScriptStatement]":
        """Yield the statements that can be tried in its place once it has failed."""
        from course_probe.exam import partial_execution

        for node in partial_execution.remains(self._node, self._can_evaluate):
            yield ScriptStatement(node, self._script, self._namespace, self.flags)

    def texts(self) -> set[str]:
        """Return the texts in it, and in those functions of the script that it calls."""
        found, known = set[str](), set[CodeType]()
        waiting = [self._code]
        while waiting:
            code = waiting.pop()
            if code in known:
                continue
            known.add(code)
            named = [self._namespace.get(name) for name in code.co_names]
            values = [*code.co_consts, *named]
            found |= {os.fspath(v) for v in values if type(v) is str or isinstance(v, Path)}
            waiting += [v for v in values if isinstance(v, CodeType)]
            functions = [v.__code__ for v in named if isinstance(v, FunctionType)]
            waiting += [c for c in functions if c.co_filename == self._code.co_filename]
        return found

    def _can_evaluate(self, expression: ast.expr) -> bool:
        try:
            code = compile(ast.Expression(expression), str(self._script), "eval", self.flags)
            eval(code, self._namespace)
        except Exception:  # noqa: BLE001 - an expression of the script may raise anything
            return False
        return True


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement makes in its module, as far as its text tells."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, ast.alias):
            yield (each.asname or each.name).partition(".")[0]


def _statements(
    script: Path, namespace: dict[str, Any], log: EventLog
) -> Iterator[ScriptStatement]:
    """Each statement of a script; writes which one begins.

    Raises:
        SyntaxError: the script can't be parsed.

    """
    source = _decoded(script)
    tree = ast.parse(source, str(script))
    # What is wrong with any of it is said before the first line runs, and so are its warnings.
    compile(tree, str(script), "exec", dont_inherit=True)
    namespace["__doc__"] = ast.get_docstring(tree, clean=False)
    statements: list[ScriptStatement] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flags = 0
        for node in tree.body:
            statements.append(ScriptStatement(node, script, namespace, flags))
            flags = statements[-1].flags
    for statement in statements:
        text = linecache.getline(str(script), statement.line).strip()
        log.write(LineEvent(event="line", line=statement.line, text=text[:200]))
        yield statement


def _decoded(script: Path) -> str:
    """Decode the text of a script.

    Raises:
        SyntaxError: it is in another encoding than it says; in Python's own words.

    """
    data = script.read_bytes()
    try:
        return importlib.util.decode_source(data)
    except (SyntaxError, UnicodeDecodeError) as error:
        if isinstance(error, SyntaxError) and error.lineno is not None:
            raise
        for number, line in enumerate(data.splitlines(), 1):
            try:
                line.decode()
            except UnicodeDecodeError as wrong:
                byte = f"\\x{line[wrong.start]:02x}"
                sentence = (
                    f"Non-UTF-8 code starting with '{byte}' in file {script} on line {number}, "
                    "but no encoding declared; see "
                    "https://peps.python.org/pep-0263/ for details"
                )
                text = line.decode("ascii", "backslashreplace")
                place = (str(script), number, wrong.start + 1, text)
                raise SyntaxError(sentence, place) from None
        raise


def _execute(
    statements: Iterator[ScriptStatement],
    own: Own,
    log: EventLog,
    say: Callable[[str, int | None], None],
    unwatched: Callable[[], int] | None = None,
) -> int:
    """Run the statements, up to one that fails; the exit status of the script.

    `say` prints what Python prints for a script, with the line that has caused it. Where we have
    failed, the script is run as it would be without us: `unwatched` gives its exit status then.
    Such a one may have put a hook of its own in place of what prints exceptions, and ends by the
    signal where it was interrupted: then the status is minus the number of that.
    """
    try:
        for statement in statements:
            statement.run()
    except DebuggerQuit:
        return 1
    except Stopped as stop:
        sys.last_traceback = stop.__traceback__
        log.write(StoppedEvent(event="stopped"))
    except SystemExit as stop:
        if stop.code is not None and not isinstance(stop.code, int):
            lines = [n for frame, n in traceback.walk_tb(stop.__traceback__) if own.has(frame)]
            say(str(stop.code), lines[-1] if lines else None)
            return 1
        return stop.code or 0
    except BaseException as error:  # noqa: BLE001 - a script may raise anything: it is reported
        if log.is_stop_requested():
            # One of several processes was stopped, and the one that had started it fails for that.
            log.write(StoppedEvent(event="stopped"))
            return 0
        exception_report.report_exception(error, own, log)
        if unwatched is not None and exception_report.is_ours(error):
            sys.stdout.flush()
            sys.stderr.flush()
            return unwatched()
        log.yield_to_main_process()
        own_frames.strip(error)
        shown = error.__traceback__
        # As Python itself does; looks find their frames by it.
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, shown
        if unwatched is None:
            traceback.print_exception(error)
            return 1
        sys.excepthook(type(error), error, shown)
        return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _future_flags() -> int:
    import __future__

    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


_FUTURE = _future_flags()


def look(code: str, namespace: dict[str, Any]) -> LookOutput:
    """Evaluate code as a notebook cell would: what it prints, then the value it ends with."""
    out = io.StringIO()
    began = time.perf_counter()
    failed = None
    try:
        tree = ast.parse(code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(tree, "<look>", "exec"), namespace)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<look>", "eval"), namespace)
                if value is not None:
                    print(repr(value), file=out)
    except Exception as error:  # noqa: BLE001 - a look may raise anything: it is what the look shows
        name = exception_report.full_name(type(error)).removeprefix("builtins.")
        failed = cut(f"{name}: {error}")
    return {
        "output": cut(out.getvalue().rstrip("\n")),
        "error": failed,
        "seconds": round(time.perf_counter() - began, 3),
    }
