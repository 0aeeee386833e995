"""A script that is diagnosed leaves nothing behind: what it writes goes to a tree of ours.

It runs in a copy of its folder, and that lies in a tree where links lead to all that lies beside
it. What is written, moved or removed outside of the copy is so in the tree alone: a link on the way
is replaced by a folder of links to what is in there, and the script is led to that from then on.

Nothing leaves the machine either: nothing is pushed to a hub, and nobody is asked to log in. Other
programs that it starts are not held back.
"""

import builtins
import contextlib
import functools
import io
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from course_probe.after_import import call_after_import

WRITING = frozenset("wax+")
DEVICES = ("/dev/", "/proc/")
CACHES = ("HF_HOME", "HF_HUB_CACHE", "HF_DATASETS_CACHE", "HF_MODULES_CACHE", "TORCH_HOME")
"""Variables that lead to caches of libraries: those may be written to, as by any run."""
_unlink, _mkdir, _listdir = os.unlink, os.mkdir, os.listdir
"""As they are before a script is held back."""
SILENT = ("push_to_hub", "create_repo", "upload_folder", "upload_file", "login", "notebook_login")


class Restraint:
    """Leads what a script writes outside of the tree `root` into that.

    A temporary folder and the caches of libraries are written to as by any run.
    """

    def __init__(self, scratch: Path, root: Path) -> None:
        caches = [Path(os.environ[name]) for name in CACHES if os.environ.get(name)]
        usual = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        free = (scratch, root, *caches, Path(usual))
        self._free = tuple(os.path.realpath(path) + os.sep for path in free)
        self._root = os.path.realpath(root)
        self._has_led = False
        self._asking = threading.local()
        self._removed: set[str] = set()

    def install(self) -> None:
        """Put it into Python's own functions, and into those of libraries once they are there."""
        builtins.open = io.open = self._opening(builtins.open)
        os.mkdir = self._leading(os.mkdir)
        os.open = self._opening_low(os.open)
        for name in ("remove", "unlink", "rmdir"):
            setattr(os, name, self._removing(getattr(os, name), getattr(os, name)))
        shutil.rmtree = self._removing(shutil.rmtree, os.unlink)  # type: ignore[assignment]
        for name in ("rename", "replace"):
            setattr(os, name, self._moving(getattr(os, name)))
        shutil.move = self._moving(shutil.move)
        for name in ("stat", "lstat", "listdir", "scandir", "access"):
            setattr(os, name, self._reading(getattr(os, name)))
        for name in ("torch.serialization", "safetensors.torch", "safetensors.numpy"):
            call_after_import(name, self._hook_saving)
        # What `map` makes is kept in a temporary folder then, and not in the cache.
        call_after_import("datasets.fingerprint", lambda m: m.disable_caching())
        call_after_import("transformers.training_args", self._hook_arguments)
        for name in ("huggingface_hub.hf_api", "huggingface_hub._login"):
            call_after_import(name, silence)
        call_after_import("transformers.modeling_utils", self._hook_models)
        call_after_import("transformers.tokenization_utils_base", self._hook_models)
        call_after_import("transformers.trainer", lambda m: silence(m.Trainer))

    @contextlib.contextmanager
    def _by_ourselves(self) -> Iterator[None]:
        """Find what is really there: what we look at ourselves is not led anywhere."""
        before, self._asking.now = getattr(self._asking, "now", False), True
        try:
            yield
        finally:
            self._asking.now = before

    def led(self, path: Any) -> Any:
        """Where something that is to be written goes: as it is, unless that is outside."""
        name = _name(path)
        if name is None:
            return path
        with self._by_ourselves():
            found, inside = self._place(name)
            if inside is None:
                return path
            self._has_led = True
            self._lift(os.path.dirname(inside))
            self._removed.discard(inside)
            return path if inside == found else inside

    def read(self, path: Any) -> Any:
        """Where something is that is to be read: as it is, unless it was written to our tree."""
        name = _name(path) if self._has_led else None
        if name is None or getattr(self._asking, "now", False):
            return path
        with self._by_ourselves():
            found, inside = self._place(name)
            is_ours = inside is not None and (
                inside in self._removed or (inside != found and os.path.lexists(inside))
            )
            return inside if is_ours else path

    def _inside(self, path: Any) -> str | None:
        """Where in our tree something lies that is outside of the copy; None for all else."""
        name = _name(path)
        with self._by_ourselves():
            return self._place(name)[1] if name is not None else None

    def _place(self, name: str) -> tuple[str, str | None]:
        """Return the path from the root, and its place in our tree; None where it is free."""
        # A script may have gone to another folder.
        name = os.path.abspath(name)
        real = os.path.realpath(name)
        if (real + os.sep).startswith(self._free):
            return name, None
        if name.startswith(self._root + os.sep):
            return name, name
        folder, last = os.path.split(name)
        outside = os.path.join(os.path.realpath(folder), last)
        return name, self._root + os.sep + os.path.splitdrive(outside)[1].lstrip("/\\")

    def _lift(self, folder: str) -> None:
        """Make a folder of our tree, and those above it, folders of links in place of links."""
        at = self._root
        for part in os.path.relpath(folder, self._root).split(os.sep):
            at = os.path.join(at, part)
            if not os.path.lexists(at):
                return
            if not os.path.islink(at) or not os.path.isdir(at):
                continue
            source = os.path.realpath(at)
            _unlink(at)
            _mkdir(at)
            with contextlib.suppress(OSError):
                for each in _listdir(source):
                    os.symlink(os.path.join(source, each), os.path.join(at, each))

    def _free_leaf(self, path: Any, *, keep: bool) -> None:
        """Replace a link of ours by a copy of the file, or by nothing, before it is written."""
        name = _name(path)
        with self._by_ourselves():
            if name is None or not os.path.islink(name) or os.path.isdir(name):
                return
            folder = os.path.realpath(os.path.dirname(os.path.abspath(name)))
            if not (folder + os.sep).startswith(self._root + os.sep):
                return
            source = os.path.realpath(name)
            _unlink(name)
            if keep and os.path.exists(source):
                shutil.copy2(source, name)

    def _opening(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
            if WRITING & set(mode):
                file = self.led(file)
                if "x" not in mode:
                    self._free_leaf(file, keep="w" not in mode)
            else:
                file = self.read(file)
            return original(file, mode, *arguments, **named)

        return opened

    def _opening_low(self, original: Callable[..., Any]) -> Callable[..., Any]:
        writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT

        def opened(path: Any, flags: int, *arguments: Any, **named: Any) -> Any:
            if named.get("dir_fd") is None:
                path = self.led(path) if flags & writes else self.read(path)
                if flags & writes and not flags & os.O_EXCL:
                    self._free_leaf(path, keep=not flags & os.O_TRUNC)
            return original(path, flags, *arguments, **named)

        return opened

    def _reading(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def looked(path: Any = ".", *arguments: Any, **named: Any) -> Any:
            if self._has_led and named.get("dir_fd") is None:
                path = self.read(path)
            return original(path, *arguments, **named)

        return looked

    def _removing(
        self, original: Callable[..., Any], of_link: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Remove what is there in our tree: what lies outside stays there."""

        @functools.wraps(original)
        def removed(path: Any, *arguments: Any, **named: Any) -> Any:
            if named.get("dir_fd") is not None:
                return original(path, *arguments, **named)
            inside, led = self._inside(path), self.led(path)
            with self._by_ourselves():
                is_link = inside is not None and os.path.islink(led)
            done = of_link(led) if is_link else original(led, *arguments, **named)
            if inside is not None:
                self._removed.add(inside)
            return done

        return removed

    def _moving(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Move what is there in our tree."""

        def moved(source: Any, target: Any, *arguments: Any, **named: Any) -> Any:
            if named:
                return original(source, target, *arguments, **named)
            inside = self._inside(source)
            done = original(self.led(source), self.led(target), *arguments)
            if inside is not None:
                self._removed.add(inside)
            return done

        return moved

    def _leading(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def made(path: Any, *arguments: Any, **named: Any) -> Any:
            return original(self.led(path), *arguments, **named)

        return made

    def _hook_saving(self, module: ModuleType) -> None:
        """Lead `save(object, path)`, `save_file(tensors, path)` and `load_file(path)`."""
        loads = getattr(module, "load_file", None)
        if loads is not None:
            setattr(module, "load_file", self._reading(loads))  # noqa: B010
        for name in ("save", "save_file"):
            original = getattr(module, name, None)
            if original is not None and not (name == "save" and "safetensors" in module.__name__):
                setattr(module, name, self._second(original))

    def _second(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def saved(what: Any, path: Any, *arguments: Any, **named: Any) -> Any:
            path = self.led(path)
            self._free_leaf(path, keep=False)
            return original(what, path, *arguments, **named)

        return saved

    def _hook_arguments(self, module: ModuleType) -> None:
        """Have a Trainer save here, report to nobody and push nothing."""
        original = module.TrainingArguments.__post_init__

        def made(arguments: Any) -> None:
            arguments.push_to_hub = False
            arguments.report_to = "none"
            if arguments.output_dir:
                arguments.output_dir = self.led(arguments.output_dir)
            original(arguments)

        module.TrainingArguments.__post_init__ = made

    def _hook_models(self, module: ModuleType) -> None:
        for name in ("PreTrainedModel", "PreTrainedTokenizerBase"):
            kind = getattr(module, name, None)
            if kind is None:
                continue
            silence(kind)
            kind.save_pretrained = self._second(kind.save_pretrained)


def _name(path: Any) -> str | None:
    """Return a path as text; None for what is no path of a file."""
    try:
        name = os.fspath(path)
    except TypeError:
        return None
    return name if isinstance(name, str) and name and not name.startswith(DEVICES) else None


def silence(owner: Any) -> None:
    """Have what would leave this machine do nothing."""
    for name in SILENT:
        if hasattr(owner, name):
            setattr(owner, name, _do_nothing)


def _do_nothing(*_arguments: Any, **_named: Any) -> None:
    return None
