"""Where a fault that a run has shown lies in a script: in which file, and in which of its lines."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from course.diagnosis.text import lines
from course.diagnosis.text.leads import Clue
from course.diagnosis.text.script_text import ScriptText
from course.judge.script_verdict import Naming
from course.runs.record import Raised


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
    """Where a fault lies that a run of a script has shown.

    It may have run with other lines than its text has: `back` tells these.
    """
    frame = naming.frame
    name = Path(script.name).with_suffix(".py").name
    file = frame.file if frame is not None else None
    is_elsewhere = raised is not None and file not in (None, name)
    told = tuple(map(back, lines.told(naming.figures)))
    clue = Clue(told, arguments=arguments)
    if raised is not None and frame is not None:
        own = (f.line for f in reversed(raised.frames) if f.script and f.file == name)
        clue = Clue(tuple(map(back, own)), raised.message, raised.state, arguments)
    if is_elsewhere and frame is not None:
        called = lines.find_callers(script, naming.fault.id, clue)
        return Location(script.name, called) if called else Location(file, (frame.line,))
    found = lines.find(script, naming.fault.id, clue)
    known = found.lines or ((back(naming.line),) if naming.line else ())
    return Location(script.name if known else None, known, found.gave)
