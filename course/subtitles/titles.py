"""What steps of a lesson, or headings of a document, are called in the language in force."""

from collections.abc import Iterable

from course.base.i18n import N_, _, about, enumerate_words
from course.lesson.catalogue import catalogue
from course.lesson.lesson import HEALTHY, Part
from course.subtitles.alignment.alignment import INTRO, OUTRO

OURS = {
    INTRO: N_("Introduction"),
    OUTRO: N_("Closing words"),
    # Translators: the title of a lesson's last step; without bugs the model really learns.
    HEALTHY: N_("The script without bugs"),
}
"""Titles of the steps that show no fault."""


def title(step: str, part: Part | None) -> str:
    """Return the title of a step, translated, with code between backticks.

    `part` is None for a document: its steps are its headings, which stay as they are, as does the
    id of a step that the part has not.
    """
    if step in (INTRO, OUTRO):
        return _(OURS[step])
    found = next((s for s in part.steps if s.id == step), None) if part else None
    if found is None:
        return step
    return _(catalogue()[found.fault].title if found.fault else OURS[HEALTHY])


def missing(steps: Iterable[str]) -> str:
    """Say which steps, named as they are to be shown, the video does not speak of."""
    return about(_("These steps are not in the video"), enumerate_words(steps))
