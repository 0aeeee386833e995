"""Diagnostics: what is wrong or noteworthy at a place of a transcript."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from course.base.i18n import _

ERROR = "error"
"""The structure is broken: players and programs read it in different ways, or not at all."""
WARNING = "warning"
"""Bad for viewers, but well-formed."""
INFO = "info"
"""Worth knowing: nothing is wrong with what a viewer sees."""

SHORT = 60
"""Characters of the input that a message on a terminal quotes."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A message about a line and a cue, both counted from 1; None where it is about neither.

    `code` is an id for programs and never changes. The sentence is `template`, a text to be
    translated, with `values` in its named placeholders.
    """

    line: int | None
    cue: int | None
    code: str
    severity: str
    template: str
    values: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """The whole sentence in the language in force."""
        return _(self.template).format(**self.values)

    @property
    def brief(self) -> str:
        """The sentence with what it quotes cut short."""
        return _(self.template).format(**{k: _shorten(v) for k, v in self.values.items()})


def _shorten(value: str | int) -> str | int:
    if isinstance(value, int) or len(value) <= SHORT:
        return value
    return f"{value[: SHORT - 1]}…"
