"""The cells of a notebook in which nbgrader keeps points, one for each point of a mark.

They are nbgrader's "manually graded tasks": locked, never run, and without a point for anybody
until somebody gives it. A cell of tests would give every point to whoever hands anything in.
"""

import json
from typing import Any

from course.i18n import _
from course.ipynb import generated

SCHEMA = 3
"""The version of nbgrader's metadata in a cell."""


def name(number: int) -> str:
    """What the cell of a point is called, from 1; it tells nothing of the bug."""
    return f"point-{number}"


def added(text: str, many: int) -> str:
    """A notebook's text with a cell for each of so many points at its end.

    The first ones are for the bugs in the order of the lesson, the last is the healthy outcome's.
    """
    document = json.loads(text)
    document["cells"] += [_cell(number, many) for number in range(1, many + 1)]
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cell(number: int, many: int) -> dict[str, Any]:
    sentence = _("Point {number} of {many}: {command} gives it.")
    source = sentence.format(number=number, many=many, command="`course class grade`")
    nbgrader = {
        "grade": False,
        "grade_id": name(number),
        "locked": True,
        "points": 1,
        "schema_version": SCHEMA,
        "solution": False,
        "task": True,
    }
    return {
        "cell_type": "markdown",
        "id": name(number),
        "metadata": {**generated.mark("point", source), "nbgrader": nbgrader},
        "source": [source],
    }
