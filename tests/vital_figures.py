"""The names of all figures that vital signs can give."""

from dataclasses import fields
from typing import Any, get_args, get_type_hints

from course.run.vital_signs import VitalSigns, read


def _numbers(kind: type) -> dict[str, Any]:
    """Each field of a part that is a number or None, with a number in it."""
    hints = get_type_hints(kind)
    return {name: 1 for name, hint in hints.items() if {int, float} & set(get_args(hint)[:1])}


FIGURES = frozenset(
    dict(read({part.name: _numbers(type(part.default)) for part in fields(VitalSigns)}).figures())
)
