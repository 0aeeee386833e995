"""What is said in a notebook: the page for a fault, for a healthy run, for a hint, for a fix."""

from collections.abc import Iterable, Sequence
from typing import Any

from course.check import messages
from course.check.attempt import Attempt
from course.check.verdict import said
from course.exercise.hint import Hint
from course.i18n import _
from course.ipython.page import Loss, Page, Stages
from course.lesson.catalogue import Match
from course.lesson.lesson import Look
from course.lesson.signature import SilentSignature
from course.run.record import Raised
from course.texts import paragraphs
from course_probe.events import LookOutput


def fault(match: Match, raised: Raised | None, values: Any = None) -> Page:
    """A fault by its stage and name, what it means, and where to look."""
    page = Page()
    page.parts.append(Stages(match.fault.stage))
    # Translators: the title of a fault, then its id; Chinese has brackets of its own.
    title = _("{title} ({name})").format(title=_(match.fault.title), name=f"`{match.fault.id}`")
    page.add("title", title)
    if raised is None and isinstance(match.signature, SilentSignature):
        page.add("bad", messages.silent(match.signature, values or {}))
        page.add("quiet", messages.set_up(values or {}))
    for text in paragraphs(match.fault.means):
        page.add("text", _(text))
    page.add("text", _(match.fault.where))
    if match.signature.wording == "later" and match.fault.quoted is not None:
        page.add("text", _("Your libraries word it differently from the course, which prints:"))
        page.add("code", match.fault.quoted.words)
    return page


def attempt(found: Attempt, losses: Sequence[tuple[int, float]]) -> Page:
    """What a run of the exercise showed."""
    verdict = found.verdict
    if verdict.match is not None:
        page = fault(verdict.match, verdict.raised, verdict.metrics)
    else:
        page = Page(good=found.healthy)
    if verdict.problem is not None:
        page.add("bad", said(verdict, found.outcome))
    if found.healthy:
        page.add("good", _("The script trains, and the model has learned."))
        if {"accuracy", "baseline"} <= verdict.metrics.keys():
            page.add("text", messages.learned(verdict.metrics))
    if verdict.raised is None:
        loss(page, found, losses)
    if found.new and verdict.match is not None:
        page.add("text", _("This is none of the exercise's own bugs."))
    return page


def loss(page: Page, found: Attempt | None, losses: Sequence[tuple[int, float]]) -> None:
    """Add the picture of a training's loss, where there is one."""
    if len(losses) > 1:
        curve = found.outcome.curve if found is not None else None
        page.parts.append(Loss(tuple(losses), curve.losses if curve else ()))


def looks(page: Page, taken: Iterable[tuple[Look, LookOutput | None]]) -> None:
    """Add looks with what they gave; those that were not taken are for the learner to run."""
    kept: list[Look] = []
    for number, (look, result) in enumerate(taken):
        if number == 0:
            page.add("heading", _("A look into the stopped notebook"))
        if result is None:
            kept.append(look)
            continue
        page.add("text", _(look.caption))
        page.add("code", look.code)
        page.add("output", result["output"])
        page.add("output", result["error"] or "")
    if kept:
        page.add(
            "heading",
            _("These change the model or take their time, so run them in a cell if you like:"),
        )
    for look in kept:
        page.add("text", _(look.caption))
        page.add("code", look.code)


def advice(page: Page) -> None:
    """What to do next."""
    page.add(
        "quiet",
        _(
            "Edit the cell that is to blame, then run it and the cells after it again. `%course "
            "hint` helps, `%course fix` shows how."
        ),
    )


def hint(shown: Hint, of: int) -> Page:
    """One rung of the hints."""
    page = Page()
    heading = _("Hint {n} of {of}: {heading}")
    page.add("title", heading.format(n=shown.rung, of=of, heading=shown.heading))
    for text in shown.texts:
        page.add("text", text)
    if shown.rung < of:
        page.add("quiet", _("`%course hint` once more tells more."))
    return page


def note(sentence: str, *, good: bool = True) -> Page:
    """A page of one sentence."""
    page = Page(good=good)
    page.add("text", sentence)
    return page
