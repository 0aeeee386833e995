"""Run a script as `python script.py` would, and report how it went."""

import ast
import builtins
import contextlib
import importlib
import importlib.metadata
import importlib.util
import io
import linecache
import os
import platform
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, NoReturn

from course_probe import exam, listening, raised, salvage
from course_probe.journal import Journal, Stopped, cut

LIBRARIES = (
    *("torch", "tensorflow", "tf_keras", "keras", "transformers", "datasets", "evaluate"),
    *("accelerate", "numpy"),
)


def main(order: dict[str, Any], last: Callable[[int], None] | None = None) -> NoReturn:
    """Do one job and end the process with the script's exit status, once `last` has been told it.

    `order` is `{"script", "journal", "stop", "looks": [code, …], "beside": folder | null}`: modules
    that lie in the folder `beside` are found as if the script lay there, and a training ends once
    there is a file `stop`. With `exam`, `{"place", "weights"}`, it is examined in place of looked
    into (see `exam.py`).
    """
    with open(order["journal"], "a", encoding="utf-8") as stream:
        journal = Journal(stream, order["stop"])
        status = run(Path(order["script"]), journal, order)
    # What frameworks do at exit (threads to join, caches to write) is nobody's wait.
    sys.stdout.flush()
    sys.stderr.flush()
    if last is not None:
        last(status)
    os._exit(status)


def end_with_parent(parent: int) -> None:
    """Have the kernel end this process when `parent`, which started it, does (Linux only)."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1 is PR_SET_PDEATHSIG, see prctl(2)
        if os.getppid() != parent:
            os._exit(1)


def run(script: Path, journal: Journal, order: dict[str, Any]) -> int:
    """Run the script, then the looks in what it left behind; the exit status of the script."""
    began = time.perf_counter()
    journal.write("start", format=1, versions=versions())
    main_module = ModuleType("__main__")
    main_module.__file__ = str(script)
    main_module.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules["__main__"] = main_module
    sys.argv = [str(script)]
    sys.path[0] = str(script.parent)
    if order["beside"] is not None:
        sys.path.insert(1, order["beside"])
    importlib.invalidate_caches()
    own = raised.Script(script)
    listening.install(journal, lambda error: raised.report("failed", error, own, journal))
    statements = _statements(script, main_module.__dict__, journal)
    status: int
    if "exam" in order:
        sitting = exam.Exam(order["exam"], journal)
        status = exam.execute(
            statements,
            sitting,
            journal,
            lambda error: raised.report("exception", error, own, journal),
        )
    else:
        status = _execute(statements, own, journal)
    if status == 0:
        journal.finish()
    journal.tell_last_figures()
    journal.looking = True
    for number, code in enumerate(order["looks"]):
        journal.write("look", **look(code, main_module.__dict__), index=number)
    journal.write("end", seconds=round(time.perf_counter() - began, 3), exit=status)
    return status


def versions() -> dict[str, str]:
    """The versions of Python and of the frameworks' libraries."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


class Statement:
    """One statement of a script, to be run where its names are kept."""

    def __init__(
        self, node: ast.stmt, script: Path, namespace: dict[str, Any], flags: int = 0
    ) -> None:
        self._node = node
        self._script = script
        self._namespace = namespace
        self._code = compile(
            ast.Module([node], []), str(script), "exec", flags=flags, dont_inherit=True
        )
        # `from __future__ import …` holds for all that follows, as it would in one piece.
        self.flags = flags | (self._code.co_flags & _FUTURE)

    def run(self) -> None:
        """Run it."""
        exec(self._code, self._namespace)

    def remains(self) -> "Iterator[Statement]":
        """What of it can be tried once it has failed."""
        for node in salvage.remains(self._node, self._can_evaluate):
            yield Statement(node, self._script, self._namespace, self.flags)

    def _can_evaluate(self, expression: ast.expr) -> bool:
        try:
            code = compile(ast.Expression(expression), str(self._script), "eval", self.flags)
            eval(code, self._namespace)
        except Exception:  # noqa: BLE001 - an expression of the script may raise anything
            return False
        return True


def _statements(script: Path, namespace: dict[str, Any], journal: Journal) -> Iterator[Statement]:
    """Each statement of a script; tells which one has begun."""
    source = importlib.util.decode_source(script.read_bytes())
    flags = 0
    for node in ast.parse(source, str(script)).body:
        text = linecache.getline(str(script), node.lineno).strip()
        journal.write("line", line=node.lineno, text=text[:200])
        statement = Statement(node, script, namespace, flags)
        flags = statement.flags
        yield statement


def _execute(statements: Iterator[Statement], own: raised.Own, journal: Journal) -> int:
    """Run the statements, up to one that fails; the exit status of the script."""
    try:
        for statement in statements:
            statement.run()
    except Stopped:
        journal.write("stopped")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException as error:  # noqa: BLE001 - a script may raise anything: it is reported
        if journal.stop_is_wanted():
            # One of several processes was stopped, and whoever had started it found it gone.
            journal.write("stopped")
            return 0
        raised.report("exception", error, own, journal)
        journal.let_main_process_tell()
        shown = None
        for level in reversed(raised.levels(error.__traceback__, own)):
            shown = TracebackType(shown, level.tb_frame, level.tb_lasti, level.tb_lineno)
        traceback.print_exception(error.with_traceback(shown))
        return 1
    return 0


def _future_flags() -> int:
    import __future__

    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


_FUTURE = _future_flags()


def look(code: str, namespace: dict[str, Any]) -> dict[str, Any]:
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
        name = raised.full_name(type(error)).removeprefix("builtins.")
        failed = cut(f"{name}: {error}")
    return {
        "output": cut(out.getvalue().rstrip("\n")),
        "error": failed,
        "seconds": round(time.perf_counter() - began, 3),
    }
