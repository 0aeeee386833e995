"""Stand-ins for what a student's machine has and a grading does not: services, plots, a display.

A class is graded offline and without a screen. Modules that only show, report or upload are stood
in for where they are not installed: whatever they are asked for is there, and does nothing. None of
them takes part in a training, so no answer comes of them.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType, ModuleType
from typing import Any

from course_probe.after_import import call_after_import

ABSENT = frozenset(
    {"wandb", "google", "comet_ml", "mlflow", "neptune", "swanlab", "clearml", "tensorboard"}
    | {"tensorboardX", "matplotlib", "seaborn", "plotly", "bokeh", "ipywidgets", "IPython"}
    | {"gradio", "streamlit", "kaggle_secrets", "dotenv", "colorama", "termcolor", "tabulate"}
    | {"GPUtil", "pynvml", "torchinfo", "torchsummary", "torchviz", "watermark"}
)
"""Modules, by the first part of their names, that show, report or upload, and compute nothing."""
LOGINS = ("login", "notebook_login", "interpreter_login")

TellAdapted = Callable[[str, str, str, int], object]
"""Told what was adapted: its kind, what stood in the script, what is in its place, the line."""


def script_frame(script: str) -> FrameType | None:
    """Return the innermost frame of the script itself, of those that have led here."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != script:
        frame = frame.f_back
    return frame


def install(script: str, tell: TellAdapted) -> None:
    """Stand in for absent modules that the script imports, and for logging in to the hub."""
    os.environ.setdefault("MPLBACKEND", "agg")
    sys.meta_path.append(_AbsentModules(script, tell))
    call_after_import("huggingface_hub", lambda module: _skip_logins(module, script, tell))
    call_after_import("tf_keras.src.callbacks", lambda module: _skip_boards(module, script, tell))
    call_after_import("pandas.plotting._core", _skip_plots)


def _skip_logins(module: ModuleType, script: str, tell: TellAdapted) -> None:
    def skipped(name: str) -> Callable[..., None]:
        def login(*_arguments: object, **_named: object) -> None:
            frame = script_frame(script)
            tell("service", f"huggingface_hub.{name}", "", frame.f_lineno if frame else 0)

        return login

    for name in LOGINS:
        setattr(module, name, skipped(name))


def _skip_boards(module: ModuleType, script: str, tell: TellAdapted) -> None:
    """Have the callback that writes for TensorBoard do nothing: what it writes with is absent."""
    kind, plain = module.TensorBoard, module.Callback

    def made(callback: Any, *_arguments: object, **_named: object) -> None:
        plain.__init__(callback)
        frame = script_frame(script)
        tell("service", "tf_keras.callbacks.TensorBoard", "", frame.f_lineno if frame else 0)

    for name in [each for each in vars(kind) if callable(getattr(plain, each, None))]:
        if not name.startswith("__"):
            setattr(kind, name, getattr(plain, name))
    kind.__init__ = made


def _skip_plots(module: ModuleType) -> None:
    """Have tables of pandas draw nothing, where there is nothing to draw with."""
    backends = getattr(module, "_backends", None)
    if isinstance(backends, dict) and importlib.util.find_spec("matplotlib") is None:
        backends["matplotlib"] = _StandInModule("no_display")


class _AbsentModules(importlib.abc.MetaPathFinder):
    """Finds a stand-in for a module that no other finder has found, where the script asks for it.

    A library that looks whether a service is installed is told the truth.
    """

    def __init__(self, script: str, tell: TellAdapted) -> None:
        self._script = script
        self._tell = tell
        self._told: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a stand-in, if the script itself imports one of the modules."""
        first = fullname.partition(".")[0]
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        if first not in ABSENT or frame is None or frame.f_code.co_filename != self._script:
            return None
        if fullname not in ("google", *self._told):
            self._told.add(fullname)
            if fullname.partition(".")[0] not in self._told or fullname == first:
                self._tell("service", fullname, "", frame.f_lineno)
        return importlib.machinery.ModuleSpec(fullname, _Loader(), is_package=True)


class _Loader(importlib.abc.Loader):
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _StandInModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is to be run."""


class _StandInModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _StandIn(name)


class _StandIn:
    """Anything at all: it can be called, entered, iterated, indexed and derived from."""

    def __init__(self, name: str) -> None:
        self._stand_in_name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _StandIn(name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self._stand_in_name == "subplots":
            return _StandIn("figure"), _StandIn("axes")
        if self._stand_in_name in ("get", "get_secret"):
            return ""
        # As a decorator it leaves what it decorates as it is.
        if len(arguments) == 1 and not named and callable(arguments[0]):
            return arguments[0]
        return _StandIn(self._stand_in_name)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (object,)

    def __enter__(self) -> "_StandIn":
        return self

    def __exit__(self, *_about: object) -> None:
        """Leave whatever it stands in for."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, _key: object) -> "_StandIn":
        return _StandIn("item")

    def __setitem__(self, _key: object, _value: object) -> None:
        """Nothing is kept."""

    def __str__(self) -> str:
        return ""
