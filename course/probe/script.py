"""Run a script as `python script.py` would, and report how it went."""

import ast
import builtins
import contextlib
import dis
import importlib.metadata
import importlib.util
import io
import json
import linecache
import os
import platform
import signal
import sys
import time
import traceback
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from course_probe import hooks
from course_probe.journal import Journal, cut

LIBRARIES = ("torch", "transformers", "datasets", "evaluate", "accelerate", "numpy")
FRAMES = 200
"""Frames of a traceback that are reported: the first and the last hundred."""
RAISE = {dis.opmap[name] for name in ("RAISE_VARARGS", "RERAISE")}


def main(job: Path) -> int:
    """Do one job: `{"script", "journal", "looks": [code, …], "libraries": […]}`."""
    order = json.loads(job.read_text("utf-8"))
    _end_with_parent()
    with open(order["journal"], "a", encoding="utf-8") as stream:
        return run(Path(order["script"]), Journal(stream), order["looks"])


def _end_with_parent() -> None:
    """Have the kernel end this process when the one that started it is killed (Linux only)."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1 is PR_SET_PDEATHSIG, see prctl(2)


def run(script: Path, journal: Journal, looks: list[str]) -> int:
    """Run the script, then the looks in what it left behind; the exit status of the script."""
    began = time.perf_counter()
    journal.write("start", format=1, versions=_versions())
    hooks.install(journal)
    main_module = ModuleType("__main__")
    main_module.__file__ = str(script)
    main_module.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules["__main__"] = main_module
    sys.argv = [str(script)]
    sys.path[0] = str(script.parent)
    status = _execute(script, main_module.__dict__, journal)
    journal.looking = True
    for number, code in enumerate(looks):
        journal.write("look", **look(code, main_module.__dict__), index=number)
    journal.write("end", seconds=round(time.perf_counter() - began, 3), exit=status)
    # What frameworks do at exit (threads to join, caches to write) is nobody's wait.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def _execute(script: Path, namespace: dict[str, Any], journal: Journal) -> int:
    """Run the script's statements one by one, telling which one has begun."""
    try:
        source = importlib.util.decode_source(script.read_bytes())
        flags = 0
        for statement in ast.parse(source, str(script)).body:
            text = linecache.getline(str(script), statement.lineno).strip()
            journal.write("line", line=statement.lineno, text=text[:200])
            code = compile(
                ast.Module([statement], []), str(script), "exec", flags=flags, dont_inherit=True
            )
            # `from __future__ import …` holds for all that follows, as it would in one piece.
            flags |= code.co_flags & _FUTURE
            exec(code, namespace)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException as error:
        _report(error, script, journal)
        own = [tb for tb in _levels(error.__traceback__) if _is_own(tb, script)]
        traceback.print_exception(error.with_traceback(own[0] if own else None))
        return 1
    return 0


def _future_flags() -> int:
    import __future__

    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


_FUTURE = _future_flags()


def _report(error: BaseException, script: Path, journal: Journal) -> None:
    frames = [_frame(tb, script) for tb in _levels(error.__traceback__)]
    own = next((i for i, f in enumerate(frames) if f["script"]), None)
    frames = frames[own:] if own is not None else []
    if isinstance(error, SyntaxError) and not frames:
        frames = [_place_of(error, script)]
    if len(frames) > FRAMES:
        frames = frames[: FRAMES // 2] + frames[-FRAMES // 2 :]
    owner = getattr(error, "obj", None) if isinstance(error, AttributeError) else None
    journal.write(
        "exception",
        type=_name(type(error)),
        mro=[_name(c) for c in type(error).__mro__],
        message=cut(str(error)),
        owner=[_name(c) for c in type(owner).__mro__] if owner is not None else None,
        device=_device(),
        frames=frames,
    )


def _device() -> str | None:
    """The accelerator in use when the script stopped, as far as the framework tells; else None."""
    torch = sys.modules.get("torch")
    try:
        return "cuda" if torch is not None and torch.cuda.is_initialized() else None
    except Exception:  # a half-imported or foreign `torch` must not hide the learner's error
        return None


def _levels(tb: TracebackType | None) -> list[TracebackType]:
    levels = []
    while tb is not None:
        levels.append(tb)
        tb = tb.tb_next
    return levels


def _is_own(tb: TracebackType, script: Path) -> bool:
    return tb.tb_frame.f_code.co_filename == str(script)


def _frame(tb: TracebackType, script: Path) -> dict[str, Any]:
    code = tb.tb_frame.f_code
    own = _is_own(tb, script)
    return {
        "module": str(tb.tb_frame.f_globals.get("__name__", "")),
        "file": script.name if own else _short(code.co_filename),
        "function": code.co_name,
        "line": tb.tb_lineno,
        "text": linecache.getline(code.co_filename, tb.tb_lineno).strip()[:400],
        "script": own,
        "raises": code.co_code[tb.tb_lasti] in RAISE if tb.tb_lasti >= 0 else False,
    }


def _place_of(error: SyntaxError, script: Path) -> dict[str, Any]:
    """A script that doesn't parse has no frame of its own; its place is in the error."""
    return {
        "module": "__main__",
        "file": script.name,
        "function": "<module>",
        "line": error.lineno or 0,
        "text": (error.text or "").strip()[:400],
        "script": True,
        "raises": False,
    }


def _short(file: str) -> str:
    """A library's file from the name of its package on: the rest differs on every machine."""
    for marker in ("site-packages", "dist-packages"):
        if marker in file:
            return file.rsplit(marker, 1)[1].replace("\\", "/").lstrip("/")
    return Path(file).name


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


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
    except Exception as error:
        name = _name(type(error)).removeprefix("builtins.")
        failed = cut(f"{name}: {error}")
    return {
        "output": cut(out.getvalue().rstrip("\n")),
        "error": failed,
        "seconds": round(time.perf_counter() - began, 3),
    }
