"""What goes wrong, sorted by whom it concerns.

Whoever raises `UserError` has already said, in the user's language, what happened and what to
do. In a checkout the same goes for `ContentError`, since its user writes the lessons. Everything
else that reaches the top is a mistake of ours and leaves a log.
"""

OURS = 3
"""The exit status of a mistake of ours."""


class UserError(Exception):
    """One sentence for the user, who can do something about it (exit status 2)."""

    status = 2


class ContentError(Exception):
    """A lesson or a catalogue entry on disk breaks the rules of its format; for its author."""
