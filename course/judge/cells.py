"""A run of a notebook's script, told by the cells that it was made of."""

import re
from dataclasses import replace
from pathlib import Path

from course.notebook.cells.script import Script
from course.runs.record import Frame, Raised, RunRecord


def placed(record: RunRecord, script: Script) -> RunRecord:
    """Return the record of a notebook's script with the cells in place of the script's lines."""

    def of(raised: Raised) -> Raised:
        frames = tuple(_in_cell(frame, script) for frame in raised.frames)
        return replace(raised, frames=frames, message=_without_lines(raised.message, script))

    raised = of(record.raised) if record.raised is not None else None
    # A number alone does not tell which cell it counts in.
    first, last = (
        tuple(replace(line, line=None) for line in lines)
        for lines in (record.output.first, record.output.last)
    )
    output = replace(record.output, first=first, last=last)
    swallowed = tuple(map(of, record.swallowed))
    called = places(script)
    return replace(record, raised=raised, swallowed=swallowed, output=output, places=called)


def places(script: Script) -> dict[int, str]:
    """Return names for the lines of a notebook's script: their cell, and the line in it."""
    return {
        piece.first + at: f"[{piece.cell.number}]:{at + 1}"
        for piece in script.pieces
        for at in range(len(piece.lines))
    }


def _in_cell(frame: Frame, script: Script) -> Frame:
    found = script.place(frame.line) if frame.script else None
    if found is None:
        return frame
    return replace(frame, file=f"{frame.file}[{found[0]}]", line=found[1])


def _without_lines(message: str, script: Script) -> str:
    """Return a message of Python's about a line of the script, with the cell's in its place."""

    def cell(found: re.Match[str]) -> str:
        place = script.place(int(found[2]))
        return f"({found[1]}[{place[0]}], line {place[1]})" if place else found[0]

    name = re.escape(Path(script.notebook.name).name)
    return re.sub(rf"\(({name}), line (\d{{1,9}})\)", cell, message)
