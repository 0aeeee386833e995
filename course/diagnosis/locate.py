"""Where a fault that a run has shown lies in a script: in which file, and in which of its lines."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from course.diagnosis.text import lines
from course.diagnosis.text.leads import Clue
from course.diagnosis.text.script_text import ScriptText
from course.judge.script_verdict import Naming
from course.runs.record import Raised

if TYPE_CHECKING:
    from course.diagnosis.user_script import ScriptRun


class Location(NamedTuple):
    """The `lines` of a `file` that a fault may have to be mended in, the likeliest first.

    The file is None where it is not known; `gave` is what the command line gave in place of a
    default.
    """

    file: str | None = None
    lines: tuple[int, ...] = ()
    gave: str = ""


def locate(
    naming: Naming,
    raised: Raised | None,
    script: ScriptText,
    arguments: Sequence[str] = (),
    back: Callable[[int], int] = int,
) -> Location:
    """Find where a fault lies that a run of a script has shown.

    It may have run with other lines than its text has: `back` tells these.
    """
    frame = naming.frame
    name = Path(script.name).with_suffix(".py").name
    file = frame.file if frame is not None else None
    if raised is not None and frame is not None and file != name:
        return Location(file, (frame.line,))
    told = tuple(map(back, lines.told(naming.figures)))
    clue = Clue(told, arguments=arguments)
    if raised is not None and frame is not None:
        own = (f.line for f in reversed(raised.frames) if f.script and f.file == name)
        clue = Clue(tuple(map(back, own)), raised.message, raised.state, arguments)
    found = lines.find(script, naming.fault.id, clue)
    known = found.lines or ((back(naming.line),) if naming.line else ())
    return Location(script.name if known else None, known, found.gave)


def find_place(done: "ScriptRun", naming: Naming) -> Location:
    """Find the file that a fault lies in, and the lines to look at there, the likeliest first."""
    frame, cells, path = naming.frame, done.script.cells, done.script.path
    at = cells.place(naming.line) if cells is not None and naming.line else None
    if path is not None and at is not None:
        return Location(f"{path.name}[{at[0]}]", (at[1],))
    text = ScriptText.of_file(path) if path is not None and cells is None else None
    if text is not None:
        return locate(naming, done.verdict.raised, text, done.script.arguments)
    return Location(frame.file, (frame.line,)) if frame is not None else Location()


def lines_to_show(done: "ScriptRun") -> dict[str, list[tuple[int | None, str]]]:
    """Collect the lines to look at by the fault, with their text and the traceback's own line.

    Above them, without a number, what the command line gave.
    """
    path = done.script.path
    if path is None or done.script.cells is not None or not path.is_file():
        return {}
    texts = path.read_text("utf-8-sig", errors="replace").splitlines()
    shown: dict[str, list[tuple[int | None, str]]] = {}
    for naming in done.verdict.namings:
        place = find_place(done, naming)
        if place.file == path.name:
            known = naming.frame.line if naming.frame is not None else None
            left = [line for line in place.lines if line != known]
            told = [(n, texts[n - 1].strip()) for n in left if n <= len(texts)]
            shown[naming.fault.id] = [*([(None, place.gave)] if place.gave else []), *told]
    return shown
