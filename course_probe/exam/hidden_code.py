"""Ways to run code that stands nowhere in a script, closed while the script is graded.

A submission's text is read for what could make its answers false, so no code may run in its process
that the text does not show. Each library that runs code out of data keeps its honest use:

- `pickle` (also for numpy's arrays of objects), `dill`, `cloudpickle`, `joblib` and `torch` load
  what the same run has saved, byte for byte; `torch.load` loads other files as weights only
- the configuration of `logging` makes handlers, formatters and filters, and calls nothing else
- `doctest` finds its examples, and runs none of them
"""

import contextlib
import hashlib
import importlib
import io
import logging
import os
import pickle
import sys
from collections import defaultdict
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from course_probe.after_import import call_after_import

REFUSED = "while a script is graded, only what it has saved itself is loaded"


def install() -> None:
    """Close them from now on, in each library once it is imported."""
    # What its processes tell each other is their own affair, and not for the script to make up.
    import multiprocessing.reduction  # noqa: F401

    saved = _Saved()
    with contextlib.suppress(ImportError):
        # That of `datasets`, which pickles by `dill`.
        importlib.import_module("multiprocess.reduction")

    loads = pickle.loads
    call_after_import("pickle", lambda module: _fence(module, saved, module.dump, module.loads))
    for name in ("cloudpickle", "joblib.externals.cloudpickle"):
        call_after_import(name, lambda package: _fence_cloudpickle(package, saved, loads))
    # All else of the package a script is not let at.
    call_after_import("dill", lambda module: _fence(module, saved, module.dump, module.loads))
    call_after_import("pandas.compat.pickle_compat", _fence_pandas)
    call_after_import("joblib.numpy_pickle", lambda module: _fence_joblib(module, saved))
    call_after_import("torch.serialization", lambda module: _fence_torch(module, saved))
    call_after_import("logging.config", _fence_logging)
    call_after_import("doctest", _fence_doctest)


class _Saved:
    """What a run has saved, by its length and its hash."""

    def __init__(self) -> None:
        self._known: dict[int, set[bytes]] = defaultdict(set)

    def add(self, data: bytes) -> None:
        """Note what is being saved."""
        self._known[len(data)].add(hashlib.sha256(data).digest())

    def holds(self, data: bytes) -> bool:
        """Whether just this has been saved."""
        return hashlib.sha256(data).digest() in self._known.get(len(data), ())

    def start_of(self, data: bytes) -> int | None:
        """How long what was saved is that this begins with, if it does with any."""
        lengths = sorted(length for length in self._known if length <= len(data))
        return next((length for length in reversed(lengths) if self.holds(data[:length])), None)


def _fence(module: Any, saved: _Saved, dump: Any, loads: Any) -> None:
    """Have four functions of a module load what one of them has saved, and nothing else."""

    def dump_known(obj: Any, file: Any, *arguments: Any, **named: Any) -> None:
        file.write(dump_to_bytes(obj, *arguments, **named))

    def dump_to_bytes(obj: Any, *arguments: Any, **named: Any) -> bytes:
        buffer = io.BytesIO()
        dump(obj, buffer, *arguments, **named)
        saved.add(buffer.getvalue())
        return buffer.getvalue()

    def load(file: Any, *arguments: Any, **named: Any) -> Any:
        seekable = getattr(file, "seekable", None)
        start = file.tell() if seekable is not None and seekable() else None
        data = file.read()
        length = saved.start_of(data)
        if length is None:
            raise pickle.UnpicklingError(REFUSED)
        if start is not None:
            # Several may lie in one file, one after the other.
            file.seek(start + length)
        return loads(data[:length], *arguments, **named)

    def load_from_bytes(data: Any, /, *arguments: Any, **named: Any) -> Any:
        copy = bytes(data)
        if not saved.holds(copy):
            raise pickle.UnpicklingError(REFUSED)
        return loads(copy, *arguments, **named)

    module.dump, module.dumps = dump_known, dump_to_bytes
    module.load, module.loads = load, load_from_bytes


def _fence_cloudpickle(package: Any, saved: _Saved, loads: Any) -> None:
    """Have both its modules load as `pickle` does."""
    dump = package.cloudpickle.dump
    for module in (package, package.cloudpickle):
        _fence(module, saved, dump, loads)


def _fence_pandas(module: Any) -> None:
    """Have `pandas.read_pickle` do without what it tries where `pickle.load` has failed."""

    def refused(*_arguments: Any, **_named: Any) -> Any:
        raise pickle.UnpicklingError(REFUSED)

    for name in ("load", "loads", "Unpickler"):
        if hasattr(module, name):
            setattr(module, name, refused)


def _fence_joblib(module: Any, saved: _Saved) -> None:
    """Have `joblib.load` read what `joblib.dump` wrote; the package takes both from here."""
    dump, load = module.dump, module.load

    def dump_known(value: Any, filename: Any, *arguments: Any, **named: Any) -> Any:
        buffer = io.BytesIO()
        dump(value, buffer, *arguments, **named)
        saved.add(buffer.getvalue())
        return None if _write(filename, buffer.getvalue()) else [os.fspath(filename)]

    def load_known(filename: Any, mmap_mode: Any = None, **named: Any) -> Any:
        data = _read(filename)
        if not saved.holds(data):
            raise ValueError(REFUSED)
        return load(io.BytesIO(data), **named)

    _replace(module, "joblib", dump=dump_known, load=load_known)


def _fence_torch(module: Any, saved: _Saved) -> None:
    """Have `torch.load` read anything but weights only where `torch.save` wrote it."""
    save, load = module.save, module.load

    def save_known(obj: Any, f: Any, *arguments: Any, **named: Any) -> None:
        buffer = io.BytesIO()
        save(obj, buffer, *arguments, **named)
        saved.add(buffer.getvalue())
        _write(f, buffer.getvalue())

    def load_known(
        f: Any,
        map_location: Any = None,
        pickle_module: Any = None,
        *,
        weights_only: Any = None,
        **named: Any,
    ) -> Any:
        if weights_only is True:
            return load(f, map_location, weights_only=True, **named)
        data = _read(f)
        named.pop("mmap", None)
        known = saved.holds(data)
        if not known:
            pickle_module, weights_only = None, True
        return load(
            io.BytesIO(data), map_location, pickle_module, weights_only=weights_only, **named
        )

    _replace(module, "torch", save=save_known, load=load_known)


def _replace(module: ModuleType, package: str, **made: Callable[..., Any]) -> None:
    """Put functions in the place of a module's, and of its package's where it has them by now."""
    for name, function in made.items():
        old = getattr(module, name)
        setattr(module, name, function)
        if getattr(sys.modules.get(package), name, None) is old:
            setattr(sys.modules[package], name, function)


def _write(file: Any, data: bytes) -> bool:
    """Write a file, given its path or opened; whether it was."""
    if hasattr(file, "write"):
        file.write(data)
        return True
    with open(os.fspath(file), "wb") as stream:
        stream.write(data)
    return False


def _read(file: Any) -> bytes:
    """All that a file holds, given its path or opened; once, so that it is what was looked at."""
    if hasattr(file, "read"):
        return bytes(file.read())
    with open(os.fspath(file), "rb") as stream:
        return stream.read()


def _fence_logging(module: Any) -> None:
    """Have a configuration make what logs, of the library's classes or the script's own."""
    resolve = module.BaseConfigurator.resolve
    kinds = (logging.Handler, logging.Formatter, logging.Filter)

    def resolved(self: Any, name: str) -> Any:
        found = resolve(self, name)
        if found is sys.stdout or found is sys.stderr or _is_of_script(found):
            return found
        if isinstance(found, type) and issubclass(found, kinds):
            return found
        raise ValueError(f"while a script is graded, logging is not configured with {name}")

    # All that a configuration names by a text is looked up here.
    module.BaseConfigurator.resolve = resolved


def _is_of_script(found: Any) -> bool:
    """Whether this is a function or a class that stands in the script's text."""
    return isinstance(found, type | FunctionType) and found.__module__ == "__main__"


def _fence_doctest(module: Any) -> None:
    def run(_self: Any, _test: Any, _flags: Any, _out: Callable[[str], object]) -> Any:
        return module.TestResults(0, 0)

    # All ways to run an example come through here.
    module.DocTestRunner._DocTestRunner__run = run
