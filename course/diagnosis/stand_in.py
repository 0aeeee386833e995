"""The embedded hub in the place of the real one, where a script loads what is not in the cache.

Nothing is downloaded for a diagnosis that was not asked for. The cache of the real hub is laid out
as https://huggingface.co/docs/huggingface_hub/guides/manage-cache describes.
"""

import ast
import os
from collections.abc import Iterable
from pathlib import Path

from course.diagnosis.text.script_text import ScriptText
from course.runs import embedded_names
from course.runs.embedded_names import HubThing

THINGS: tuple[HubThing, ...] = ("models", "datasets", "metrics")
FAULTS = frozenset({"hub-unreachable", "hub-name-unknown"})
"""What a run that may download nothing, or has the embedded hub instead, says of any script."""


def embedded_names_in(script: ScriptText, arguments: Iterable[str]) -> set[str]:
    """Find the names in a script and its arguments that the embedded hub has."""
    written = {node.value for node in ast.walk(script.tree) if isinstance(node, ast.Constant)}
    known = {name for thing in THINGS for name in embedded_names.names(thing)}
    return known & {*written, *arguments}


def is_uncached(named: Iterable[str], folder: Path) -> bool:
    """Whether a model among these names is certainly neither in the cache nor in the folder."""
    models = set(named) & set(embedded_names.names("models"))
    cache = _cache()
    return any(
        not (cache / f"models--{name.replace('/', '--')}").exists() and not (folder / name).exists()
        for name in models
    )


def _cache() -> Path:
    """Where the libraries keep what they have downloaded."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(variable):
            return Path(os.environ[variable]).expanduser()
    usual = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(os.environ.get("HF_HOME") or usual, "hub").expanduser()
