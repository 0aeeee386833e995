"""Run a script as `python script.py` would, and report how it went."""

import ast
import builtins
import contextlib
import dis
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
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any, NoReturn

from course_probe import listening
from course_probe.journal import Journal, Stopped, cut

LIBRARIES = (
    *("torch", "tensorflow", "tf_keras", "keras", "transformers", "datasets", "evaluate"),
    *("accelerate", "numpy"),
)
FRAMES = 200
"""Frames of a traceback that are reported: the first and the last hundred."""
RAISE = {dis.opmap[name] for name in ("RAISE_VARARGS", "RERAISE")}


def main(order: dict[str, Any], last: Callable[[int], None] | None = None) -> NoReturn:
    """Do one job and end the process with the script's exit status, once `last` has been told it.

    `order` is `{"script", "journal", "stop", "looks": [code, …], "beside": folder | null}`: modules
    that lie in the folder `beside` are found as if the script lay there, and a training ends once
    there is a file `stop`.
    """
    with open(order["journal"], "a", encoding="utf-8") as stream:
        journal = Journal(stream, order["stop"])
        status = run(Path(order["script"]), journal, order["looks"], order["beside"])
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


def run(script: Path, journal: Journal, looks: list[str], beside: str | None = None) -> int:
    """Run the script, then the looks in what it left behind; the exit status of the script."""
    began = time.perf_counter()
    journal.write("start", format=1, versions=_versions())
    main_module = ModuleType("__main__")
    main_module.__file__ = str(script)
    main_module.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules["__main__"] = main_module
    sys.argv = [str(script)]
    sys.path[0] = str(script.parent)
    if beside is not None:
        sys.path.insert(1, beside)
    importlib.invalidate_caches()
    status = _execute(script, main_module.__dict__, journal)
    journal.looking = True
    for number, code in enumerate(looks):
        journal.write("look", **look(code, main_module.__dict__), index=number)
    journal.write("end", seconds=round(time.perf_counter() - began, 3), exit=status)
    return status


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def _execute(script: Path, namespace: dict[str, Any], journal: Journal) -> int:
    """Run the script's statements one by one, telling which one has begun."""
    listening.install(journal, lambda error: report("failed", error, script, journal))
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
    except Stopped:
        journal.write("stopped")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException as error:
        report("exception", error, script, journal)
        shown = None
        for level in reversed(_levels(error.__traceback__, script)):
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


def report(event: str, error: BaseException, script: Path, journal: Journal) -> None:
    """Report an exception: the one that ended the script, or one that left the Trainer."""
    levels = _levels(error.__traceback__, script)
    frames = [_frame(tb.tb_frame, tb.tb_lasti, tb.tb_lineno, script) for tb in levels]
    if not any(f["script"] for f in frames):
        # One that is still under way has the script's own frame above it; one that the script
        # did not live to see, as it could not be read, has none.
        own = _own_frame(script)
        if own is not None:
            frames.insert(0, _frame(own, own.f_lasti, own.f_lineno, script))
        else:
            frames = [_place_of(error, script)] if isinstance(error, SyntaxError) else []
    if len(frames) > FRAMES:
        frames = frames[: FRAMES // 2] + frames[-FRAMES // 2 :]
    owner = getattr(error, "obj", None) if isinstance(error, AttributeError) else None
    journal.write(
        event,
        type=_name(type(error)),
        mro=[_name(c) for c in type(error).__mro__],
        message=cut(_without_us(str(error))),
        owner=[_name(c) for c in type(owner).__mro__] if owner is not None else None,
        device=_device(),
        frames=frames,
    )


def _without_us(message: str) -> str:
    """A message without our own files: one about compiled code lists all that led to it."""
    own = f'File "{Path(__file__).parent}{os.sep}'
    return "\n".join(line for line in message.split("\n") if own not in line)


def _device() -> str | None:
    """The accelerator in use when the script stopped, as far as the framework tells; else None."""
    torch, tensorflow = sys.modules.get("torch"), sys.modules.get("tensorflow")
    try:
        if torch is not None and torch.cuda.is_initialized():
            return "cuda"
        # It takes every GPU that it can see, unless a script forbids it.
        seen = tensorflow is not None and tensorflow.config.list_physical_devices("GPU")
        return "cuda" if seen else None
    except Exception:  # a half-imported or foreign module must not hide the learner's error
        return None


def _levels(tb: TracebackType | None, script: Path) -> list[TracebackType]:
    """The levels of a traceback from the script's own first one on, without the probe's.

    An exception that is reported while it is under way may not have reached the script yet.
    """
    levels = []
    while tb is not None:
        if tb.tb_frame.f_globals.get("__package__") != __package__:
            levels.append(tb)
        tb = tb.tb_next
    own = next((i for i, level in enumerate(levels) if _is_own(level.tb_frame, script)), None)
    return levels[own or 0 :]


def _own_frame(script: Path) -> FrameType | None:
    """The innermost frame of the script's own that is running now."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and not _is_own(frame, script):
        frame = frame.f_back
    return frame


def _is_own(frame: FrameType, script: Path) -> bool:
    return frame.f_code.co_filename == str(script)


def _frame(frame: FrameType, last: int, line: int, script: Path) -> dict[str, Any]:
    """A frame at its instruction number `last`, in line `line`."""
    code = frame.f_code
    own = _is_own(frame, script)
    return {
        "module": str(frame.f_globals.get("__name__", "")),
        "file": script.name if own else _short(code.co_filename),
        "function": code.co_name,
        "line": line,
        "text": linecache.getline(code.co_filename, line).strip()[:400],
        "script": own,
        "raises": code.co_code[last] in RAISE if last >= 0 else False,
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
