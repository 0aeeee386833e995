"""`course fix` for a script of no lesson: the mends that its text alone allows."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from course.base.i18n import _
from course.cli.script.diagnose import describe
from course.cli.terminal import consoles
from course.cli.terminal.json_output import fix_document
from course.diagnosis import diagnosis, report
from course.diagnosis.text import installed
from course.diagnosis.text.source_file import SourceFile
from course.diagnosis.user_script import find_context
from course.exercise.practice import Fix
from course.lesson.bug import diff
from course.render import terminal
from course.render.blocks import Diff


def mend_script(path: Path, agreed: Callable[[Path], bool], *, apply: bool, as_json: bool) -> int:
    """Show or make every mend of a script that is mechanical; 1 where a fault has none."""
    source = SourceFile.open(path)
    with installed.within(find_context(None, None, None).runtime.site):
        found = source.read()
    console = consoles.err() if as_json else consoles.out()
    text, left = diagnosis.mended(found)
    change = ""
    if found.script is not None and text is not None and text != found.script.text:
        change = diff(found.script.text, text, path.name)
    if not as_json:
        if change:
            terminal.draw(console, [Diff(change)])
        if left:
            terminal.draw(console, report.left(source, left))
        if not found.faults:
            done = _("The code shows no fault.")
            consoles.paragraph(console, done, style="green")
    applied = bool(change) and apply and agreed(path)
    if applied and text is not None:
        source.write(text)
    if as_json:
        faults = [describe(source, finding) for finding in diagnosis.from_reading(found)]
        first = next(iter(faults), {"fault": None, "line": None, "cell": None})
        reason: Literal["own"] | None = "own" if faults and not change else None
        fix = Fix("", change, reason, first["line"], first["cell"])
        document = fix_document(path, first["fault"], fix, applied=applied)
        consoles.document({**document, "faults": faults})
    elif applied:
        done = _("Written: {path}.").format(path=f"`{path.name}`")
        consoles.paragraph(console, done, style="green")
    elif change and not apply:
        console.print()
        more = _("{command} makes these changes in the file.")
        command = f"`course fix {shlex.quote(str(path))} --apply`"
        consoles.paragraph(console, more.format(command=command), style=consoles.QUIET)
    return 1 if left else 0
