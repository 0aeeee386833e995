"""A bug: a few small edits of a script that can be put in and taken out without a trace."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from course.base.errors import ContentError
from course.base.i18n import _, enumerate_words, in_a_row
from course.base.schema import Unfit


@dataclass(frozen=True)
class Edit:
    """One place where the text `buggy` and the text `healthy` stand for each other."""

    buggy: str
    healthy: str

    def __post_init__(self) -> None:
        if not (self.buggy and self.healthy):
            sentence = _(
                "neither text may be empty: add the line before or after it to both texts."
            )
            raise Unfit(sentence)


@dataclass(frozen=True)
class Bug:
    """The edits that carry one fault, and what its fix leaves out of why the healthy text is right.

    `hints` help without giving it away; mostly empty, and then the fault's own texts do. `exam` is
    the kind of question that tells whether it is gone from a submission.
    """

    fault: str
    edits: tuple[Edit, ...]
    reason: str = ""
    hints: tuple[str, ...] = ()
    exam: str = ""

    def take_out(self, script: str) -> str:
        """Return the script without this bug.

        Raises:
            ContentError: a place is not found, or found more than once.

        """
        for edit in self.edits:
            script = _swap(script, edit.buggy, edit.healthy, self.fault)
        return script

    def put_in(self, script: str) -> str:
        """Return the script with this bug; the reverse of `take_out`, to the byte.

        Raises:
            ContentError: a place is not found, or found more than once.

        """
        for edit in reversed(self.edits):
            script = _swap(script, edit.healthy, edit.buggy, self.fault)
        return script


PlaceText = Literal["buggy", "healthy", "changed"]
"""What stands at the place of an edit in a learner's text: one of its two texts, or another."""
BugPlaces = Mapping[str, tuple[PlaceText, ...]]
"""What stands at each place of each bug, in the order of its edits; bugs by their faults."""


def without(script: str, bugs: Iterable[Bug]) -> str:
    """Return the script with each of the bugs taken out, in their order."""
    for bug in bugs:
        script = bug.take_out(script)
    return script


def diff(before: str, after: str, name: str) -> str:
    """Make a unified diff with two lines of context, as `patch` would read it."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), name, name, n=2
    )
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def _swap(script: str, old: str, new: str, fault: str) -> str:
    times = script.count(old)
    if times != 1:
        message = _(
            "{fault}: {text} must occur exactly once in the script, but it occurs {times} times."
        )
        sentence = message.format(fault=f"`{fault}`", text=repr(old), times=times)
        raise ContentError(in_a_row(sentence, _look_for(old, script, times)))
    return script.replace(old, new)


def _look_for(text: str, script: str, times: int) -> str:
    """Return help for the author of an edit whose text does not stand just once in the script."""
    lines = script.splitlines()
    if times:
        starts, at = [], script.find(text)
        while at >= 0:
            starts.append(script.count("\n", 0, at) + 1)
            at = script.find(text, at + len(text))
        sentence = _(
            "The text occurs in lines {lines}. Include the line before or after it as well, in the "
            "old text and in the new text."
        )
        return sentence.format(lines=enumerate_words(map(str, starts)))
    if text.replace("\\n", "\n") in script:
        return _("In single quotes `\\n` does not end a line; in double quotes it does.")
    wanted = next((line for line in text.splitlines() if line.strip()), "")
    near = difflib.get_close_matches(wanted, lines, n=1, cutoff=0.5)
    if not near:
        return _("The script contains no similar text.")
    sentence = _("The most similar line is line {line}: {text}")
    return sentence.format(line=lines.index(near[0]) + 1, text=repr(near[0]))
