"""The names of all figures that vital signs can give."""

from dataclasses import fields
from types import NoneType
from typing import Any, get_args, get_type_hints

from course.run.vital_signs import VitalSigns, read


def _numbers(kind: type) -> dict[str, Any]:
    """Each field of a part that is a number, a word or None, with something in it."""
    hints = get_type_hints(kind)
    return {name: 1 for name, hint in hints.items() if NoneType in get_args(hint)}


FIGURES = frozenset(
    dict(read({part.name: _numbers(type(part.default)) for part in fields(VitalSigns)}).figures())
)
