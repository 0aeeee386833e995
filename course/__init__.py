"""A companion to the Hugging Face NLP course: scripts with faults in them, to run and to mend."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from course import subtitles
    from course.diagnosis.diagnosis import Diagnosis
    from course.diagnosis.user_script import ScriptRun
    from course.lesson.catalogue import Fault, Match, catalogue
    from course.lesson.lesson import Lesson
    from course.runs.record import RunRecord

    __version__: str

__all__ = [
    "Diagnosis",
    "Fault",
    "Lesson",
    "Match",
    "RunRecord",
    "ScriptRun",
    "catalogue",
    "diagnose",
    "explain",
    "listen",
    "run",
    "subtitles",
]

_PLACES = {
    "Diagnosis": "course.diagnosis.diagnosis",
    "Fault": "course.lesson.catalogue",
    "Match": "course.lesson.catalogue",
    "catalogue": "course.lesson.catalogue",
    "Lesson": "course.lesson.lesson",
    "RunRecord": "course.runs.record",
    "ScriptRun": "course.diagnosis.user_script",
}
"""Where the names of the Python interface are defined: none is loaded before it is asked for."""


def __getattr__(name: str) -> object:
    import importlib

    if name == "subtitles":
        return importlib.import_module("course.subtitles")
    if name == "__version__":
        try:
            return importlib.import_module("course._version").__version__
        except ModuleNotFoundError:  # A checkout from which nothing was built yet.
            return "0.0.0"
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def explain(text: str) -> "list[Match]":
    """Find the faults that a traceback or a log may be about, certain and likeliest first.

    Nothing is run, and no library that the text is about is needed. The list is empty where the
    catalogue knows nothing of it, or there is no error in the text.
    """
    from course.judge import quoted

    explained = quoted.explain(text)
    return list(explained.found) if explained is not None else []


def diagnose(
    path: "str | Path",
    *arguments: str,
    seconds: float = 60.0,
    static: bool = False,
    python: str | None = None,
    hub: str | None = None,
) -> "Diagnosis":
    """Diagnose a script or a notebook, each of its parts examined by itself.

    It is read and, unless `static`, run with its `arguments` in a copy of its folder, in at most so
    many `seconds`; nothing of the user's is changed. `python` names another interpreter; else ours
    for TensorFlow is taken, if there is one, where a script needs that and this environment lacks
    it. Models and data are what the cache has, or the embedded hub's, where these stand in for them
    under the same name; `hub` is `online` where others may be downloaded, or `embedded`.

    Raises:
        course.base.errors.UserError: the file can't be read, the interpreter does not start, or
            there is no such hub.

    """
    from dataclasses import replace
    from pathlib import Path

    from course.diagnosis import diagnosis, user_script
    from course.diagnosis.text.source_file import SourceFile
    from course.runs import hub as hubs

    source = replace(SourceFile.open(Path(path)), arguments=arguments)
    context, _beside = user_script.find_diagnosed(source.text, python, hub, static=static)
    if static:
        return diagnosis.read(source, context)
    return diagnosis.diagnose(source, context, seconds=seconds, download=hub == hubs.ONLINE)


def listen(lang: str | None = None) -> None:
    """Have this process say at its end what fault bites: a script's first line.

    It works wherever the script is started, by `accelerate launch` or `torchrun` too. What the
    script computes, prints and ends with stays as it is. `lang` is `en`, `zh` or `ru`.
    """
    from course.diagnosis import listening

    listening.listen(lang)


def run(
    path: "str | Path",
    *arguments: str,
    python: str | None = None,
    hub: str | None = None,
    timeout: float | None = None,
) -> "ScriptRun":
    """Run a script or a notebook of one's own as it is, with its `arguments`, and judge the run.

    Its `verdict` names the faults, its `run.record` holds all that was measured. `timeout` is in
    seconds; `python` names another interpreter, and `hub` is `online` or `embedded`.

    Raises:
        course.base.errors.UserError: the file can't be read, the interpreter does not start, or
            there is no such hub.

    """
    from pathlib import Path

    from course.diagnosis import user_script

    written = user_script.read(Path(path), arguments)
    return user_script.run(written, user_script.find_context(python, hub, timeout))


def load_ipython_extension(shell: object) -> None:
    """Have `%load_ext course` name faults in a notebook.

    See https://ipython.readthedocs.io/en/stable/config/extensions/.
    """
    from course.notebook.kernel import extension

    extension.load(shell)


def unload_ipython_extension(shell: object) -> None:
    """Take back what `load_ipython_extension` has done."""
    from course.notebook.kernel import extension

    extension.unload(shell)
