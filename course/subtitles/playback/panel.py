"""The lesson's side of the playback page: the list of steps, the text of each, the missing ones."""

from collections.abc import Iterator

from course.i18n import _
from course.lesson import lesson
from course.lesson.bug import diff
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Part, Step
from course.subtitles.alignment.alignment import INTRO, OUTRO, Alignment
from course.subtitles.playback import markup
from course.subtitles.playback.markup import code, escape, heading, inline, prose
from course.subtitles.titles import title
from course.subtitles.transcript.timing import brief
from course.texts import translated


def listed(alignment: Alignment, part: Part) -> str:
    """The steps as chapters: a button each, with the time at which the video comes to it."""
    starts = {segment.step: segment.start_ms for segment in alignment.segments}
    absent = escape(_("not in the video"))
    rows = []
    for step in _order(alignment, part):
        when = (
            f'<span class="when">{brief(starts[step])}</span>'
            if step in starts
            else f'<span class="when absent">{absent}</span>'
        )
        rows.append(
            f'<li><button type="button" data-step="{escape(step)}">'
            f"<span>{inline(title(step, part))}</span>{when}</button></li>"
        )
    return "".join(rows)


def panels(alignment: Alignment, part: Part) -> str:
    """What there is to read about each step, all below each other: the page shows one."""
    steps = {step.id: step for step in part.steps}
    around = {INTRO: lesson.load(part.lesson).summary, OUTRO: part.outro}
    rows = []
    for number, name in enumerate(_order(alignment, part), start=1):
        above = f'<h2 id="step-{number}">{inline(title(name, part))}</h2>'
        if name in steps:
            text = _place(steps[name], part) + above + "".join(_step(steps[name], part))
        else:
            text = _meta(_("The lesson")) + above + prose(around[name])
        rows.append(
            f'<article class="step" data-step="{escape(name)}" aria-labelledby="step-{number}">'
            f"{text}</article>"
        )
    return "".join(rows)


def missing(alignment: Alignment, part: Part) -> str:
    """A table of the steps that the video does not speak of; nothing where there are none."""
    if not alignment.missing:
        return ""
    read = escape(_("Read it here"))
    rows = []
    for step in alignment.missing:
        name = inline(title(step, part))
        rows.append(
            f'<tr><th scope="row">{name}</th><td>'
            f'<button type="button" class="button small" data-step="{escape(step)}">{read}'
            f'<span class="unseen"> {name}</span></button></td></tr>'
        )
    said = escape(_("The video does not speak of these steps"))
    about = escape(_("The lesson has them all the same."))
    heads = "".join(f'<th scope="col">{escape(text)}</th>' for text in (_("Step"), _("Text")))
    return (
        f'<section class="missing" aria-labelledby="missing-heading">'
        f'<h2 id="missing-heading">{said}</h2><p>{about}</p>'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></section>"
    )


def _order(alignment: Alignment, part: Part) -> list[str]:
    """The ids of all steps in order; intro and outro where the video has them."""
    met = {segment.step for segment in alignment.segments}
    known = [INTRO, *(step.id for step in part.steps), OUTRO]
    return [step for step in known if step in met or step not in (INTRO, OUTRO)]


def _meta(text: str) -> str:
    return f'<p class="meta">{inline(text)}</p>'


def _place(step: Step, part: Part) -> str:
    """Which of the steps it is, and where it can be seen."""
    said = _("Step {n} of {all}")
    if step.device:
        said = _("Step {n} of {all}, on the device {device}")
    n = part.steps.index(step) + 1
    return _meta(said.format(n=n, all=len(part.steps), device=f"`{step.device}`"))


def _step(step: Step, part: Part) -> Iterator[str]:
    """All that there is to read about one step, below its title."""
    yield prose(step.intro)
    fault = catalogue()[step.fault] if step.fault else None
    if fault is not None:
        shows = fault.quoted or fault.signatures[0]
        yield heading(_("How it shows")) + code(shows.words, "error")
        yield heading(_("What it means")) + prose(fault.means)
    looks = part.looks_at(step.id)
    if fault is not None or looks:
        yield heading(_("Where to look"))
    if fault is not None:
        yield prose(fault.where)
    if looks:
        said = [(inline(_(look.caption)), code(look.code)) for look in looks]
        rows = "".join(f"<li><p>{caption}</p>{shown}</li>" for caption, shown in said)
        yield f'<ol class="looks">{rows}</ol>'
    script = translated(part.text(step.bugs), _)
    if step.bug is not None:
        after = translated(part.text(tuple(b for b in step.bugs if b is not step.bug)), _)
        yield heading(_("The fix"))
        if fault is not None and step.bug.fault == step.fault:
            yield prose(fault.fix)
        yield prose(step.bug.reason) + markup.diff(diff(script, after, part.path.name))
    summary = escape(_("The script at this step"))
    yield f"<details><summary>{summary}</summary>{code(script)}</details>"
