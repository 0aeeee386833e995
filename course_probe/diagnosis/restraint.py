"""A script that is diagnosed leaves nothing behind: what it writes goes to a folder of ours.

It runs in a copy of its folder, so only paths outside of that are of concern here, and what leaves
the machine: nothing is pushed to a hub, and nobody is asked to log in. What lies outside is not
removed and not moved either. Other programs that it starts are not held back.
"""

import builtins
import functools
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from course_probe.after_import import call_after_import

WRITING = frozenset("wax+")
DEVICES = ("/dev/", "/proc/")
CACHES = ("HF_HOME", "HF_HUB_CACHE", "HF_DATASETS_CACHE", "HF_MODULES_CACHE", "TORCH_HOME")
"""Variables that lead to caches of libraries: those may be written to, as by any run."""
SILENT = ("push_to_hub", "create_repo", "upload_folder", "upload_file", "login", "notebook_login")


class Restraint:
    """Leads what a script writes outside its own folder into the folder `scratch`."""

    def __init__(self, scratch: Path, cwd: Path) -> None:
        caches = [Path(os.environ[name]) for name in CACHES if os.environ.get(name)]
        usual = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        free = (scratch, cwd, *caches, Path(usual))
        self._free = tuple(os.path.realpath(path) + os.sep for path in free)
        self._scratch = scratch

    def install(self) -> None:
        """Put it into Python's own functions, and into those of libraries once they are there."""
        builtins.open = io.open = self._opening(builtins.open)
        os.mkdir = self._leading(os.mkdir)
        os.open = self._opening_low(os.open)
        for name in ("remove", "unlink", "rmdir"):
            setattr(os, name, self._keeping(getattr(os, name)))
        shutil.rmtree = self._keeping(shutil.rmtree)  # type: ignore[assignment]
        for name in ("rename", "replace"):
            setattr(os, name, self._moving(getattr(os, name)))
        shutil.move = self._moving(shutil.move)
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

    def led(self, path: Any) -> Any:
        """Where something that is to be written goes: as it is, unless that is outside."""
        try:
            name = os.fspath(path)
        except TypeError:
            return path
        if not isinstance(name, str) or name.startswith(DEVICES):
            return path
        # A script may have gone to another folder.
        name = os.path.abspath(name)
        if (os.path.realpath(name) + os.sep).startswith(self._free):
            return path
        inside = self._scratch / "outside" / os.path.splitdrive(name)[1].lstrip("/\\")
        inside.parent.mkdir(parents=True, exist_ok=True)
        return str(inside)

    def _opening(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
            if WRITING & set(mode):
                file = self.led(file)
            return original(file, mode, *arguments, **named)

        return opened

    def _opening_low(self, original: Callable[..., Any]) -> Callable[..., Any]:
        writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT

        def opened(path: Any, flags: int, *arguments: Any, **named: Any) -> Any:
            if flags & writes and named.get("dir_fd") is None:
                path = self.led(path)
            return original(path, flags, *arguments, **named)

        return opened

    def _keeping(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Remove what is there of ours, and nothing that lies outside."""

        @functools.wraps(original)
        def removed(path: Any, *arguments: Any, **named: Any) -> Any:
            led = path if named.get("dir_fd") is not None else self.led(path)
            if led is path or os.path.lexists(led):
                return original(led, *arguments, **named)
            return None

        return removed

    def _moving(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Move what is there of ours; of what lies outside a file is copied."""

        def moved(source: Any, target: Any, *arguments: Any, **named: Any) -> Any:
            if named:
                return original(source, target, *arguments, **named)
            led, target = self.led(source), self.led(target)
            if led is source or os.path.lexists(led):
                return original(led, target, *arguments)
            return shutil.copy2(source, target) if os.path.isfile(source) else None

        return moved

    def _leading(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def made(path: Any, *arguments: Any, **named: Any) -> Any:
            return original(self.led(path), *arguments, **named)

        return made

    def _hook_saving(self, module: ModuleType) -> None:
        """Lead `save(object, path)` and `save_file(tensors, path)`."""
        for name in ("save", "save_file"):
            original = getattr(module, name, None)
            if original is not None and not (name == "save" and "safetensors" in module.__name__):
                setattr(module, name, self._second(original))

    def _second(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def saved(what: Any, path: Any, *arguments: Any, **named: Any) -> Any:
            return original(what, self.led(path), *arguments, **named)

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


def silence(owner: Any) -> None:
    """Have what would leave this machine do nothing."""
    for name in SILENT:
        if hasattr(owner, name):
            setattr(owner, name, _do_nothing)


def _do_nothing(*_arguments: Any, **_named: Any) -> None:
    return None
