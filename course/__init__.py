"""A companion to the Hugging Face NLP course: scripts with faults in them, to run and to mend."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course.lesson.catalogue import Fault, Match, catalogue
    from course.lesson.lesson import Lesson
    from course.run.record import RunRecord

__version__ = "0.1.0"
__all__ = ["Fault", "Lesson", "Match", "RunRecord", "catalogue", "explain", "listen"]

_PLACES = {
    "Fault": "course.lesson.catalogue",
    "Match": "course.lesson.catalogue",
    "catalogue": "course.lesson.catalogue",
    "Lesson": "course.lesson.lesson",
    "RunRecord": "course.run.record",
}
"""Where the names of the Python interface are defined: none is loaded before it is asked for."""


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_PLACES[name]), name)


def explain(text: str) -> "list[Match]":
    """The faults that a traceback or a log may be about, the certain and likeliest first.

    Nothing is run, and no library that the text is about is needed. The list is empty where the
    catalogue knows nothing of it, or there is no error in the text.
    """
    from course.check import quoted
    from course.tracebacks.read import read

    explained = quoted.judge(read(text))
    return list(explained.found) if explained is not None else []


def listen(lang: str | None = None) -> None:
    """Have this process say at its end what fault bites: a script's first line.

    It works wherever the script is started, by `accelerate launch` or `torchrun` too. What the
    script computes, prints and ends with stays as it is. `lang` is `en`, `zh` or `ru`.
    """
    from course.own import listening

    listening.listen(lang)


def load_ipython_extension(shell: object) -> None:
    """Have `%load_ext course` name faults in a notebook.

    See https://ipython.readthedocs.io/en/stable/config/extensions/.
    """
    from course.ipython import extension

    extension.load(shell)


def unload_ipython_extension(shell: object) -> None:
    """Take back what `load_ipython_extension` has done."""
    from course.ipython import extension

    extension.unload(shell)
