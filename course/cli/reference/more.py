"""`course more`: what there is to read beside a lesson's steps."""

from dataclasses import asdict
from typing import Any

import click
from rich.console import Console

from course.base.i18n import N_, _
from course.base.texts import pieces
from course.cli.terminal import consoles
from course.cli.terminal.options import fw_option, json_option
from course.lesson import aside, lesson
from course.lesson.aside import Aside, Asides
from course.lesson.lesson import Part, check_step, find_part, framework_option
from course.render import lesson_blocks, terminal


@click.argument("name", metavar="LESSON", help=N_("The id of a lesson."))
@click.argument("step", required=False, metavar="STEP", help=N_("The id of a step."))
@fw_option
@json_option
def more(name: str, step: str | None, fw: str | None, as_json: bool) -> None:
    """Print the asides and links of a step; without one, what each step has."""
    part = find_part(name, fw)
    check_step(step, [part])
    asides = aside.load(lesson.load(part.lesson))
    steps = [step] if step else [each.id for each in part.steps]
    found = {each: asides.at(part, each) for each in steps}
    if as_json:
        consoles.document(_document(part, found))
        return
    console = consoles.out()
    with consoles.paged(console):
        if step is not None and found[step]:
            terminal.draw(console, lesson_blocks.opened(found[step]))
        elif any(found.values()):
            _list(console, part, found)
        else:
            consoles.paragraph(console, _("There is no extra reading here."))


def _list(console: Console, part: Part, found: dict[str, Asides]) -> None:
    """Print the titles, step by step, and how one is opened."""
    for step, asides in found.items():
        if not asides:
            continue
        consoles.paragraph(console, f"`{step}`", style="bold")
        for each in asides.asides:
            consoles.paragraph(console, _(each.title), indent=2)
        terminal.draw(console, map(lesson_blocks.reference, asides.links))
    command = f"course more {part.lesson} STEP{framework_option(part)}"
    consoles.paragraph(
        console, _("For more: {command}").format(command=f"`{command}`"), style=consoles.QUIET
    )


def _document(part: Part, found: dict[str, Asides]) -> dict[str, Any]:
    """Make the document of the asides and links in the user's language, step by step."""
    return {
        "lesson": part.lesson,
        "framework": part.framework,
        "steps": [
            {
                "step": step,
                "asides": [{"title": _(a.title), "texts": _texts(a)} for a in asides.asides],
                "links": [asdict(lesson_blocks.reference(link)) for link in asides.links],
            }
            for step, asides in found.items()
            if asides
        ],
    }


def _texts(one: Aside) -> list[dict[str, str]]:
    kinds = {True: "code", False: "paragraph"}
    return [{kinds[is_code]: text if is_code else _(text)} for text, is_code in pieces(one.text)]
