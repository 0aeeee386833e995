"""`course list`: the lessons, the frameworks they come in, and how far one has come."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from course.base import shelves
from course.base.i18n import _, about, spoken_option
from course.base.texts import paragraphs
from course.cli.terminal import consoles
from course.cli.terminal.options import json_option
from course.exercise import progress, walk_progress
from course.exercise.progress import Progress
from course.exercise.walk_progress import WalkProgress
from course.lesson import lesson
from course.lesson.lesson import Part, framework_option

EXERCISE = ("path", "bugs", "behind", "runs", "healthy", "updated")
"""What is told of an exercise."""


@json_option
def list_lessons(as_json: bool) -> None:
    """Print the lessons: those that ship, then those that are kept elsewhere."""
    folders = lesson.folders()
    lessons = [lesson.load(name) for name in folders]
    known = progress.everything()
    if as_json:
        consoles.document(
            {
                "lessons": [
                    {
                        "lesson": each.id,
                        "title": _(each.title),
                        "folder": str(folders[each.id]) if shelves.of(folders[each.id]) else None,
                        "frameworks": {
                            name: {
                                "steps": [s.id for s in part.steps],
                                "variants": [v.fault for v in part.variants],
                                "video": part.video,
                                "exercises": [
                                    consoles.fields_of(each, *EXERCISE) for each in _of(part, known)
                                ],
                                "walk": _walk(walk_progress.of(part)),
                            }
                            for name, part in each.parts.items()
                        },
                    }
                    for each in lessons
                ]
            }
        )
        return
    console = consoles.out()
    with consoles.paged(console):
        _list(console, lessons, folders, known)


def _list(
    console: Console,
    lessons: list[lesson.Lesson],
    folders: Mapping[str, Path],
    known: list[Progress],
) -> None:
    for each in lessons:
        consoles.paragraph(console, f"`{each.id}`  {_(each.title)}", style="bold")
        for text in paragraphs(each.summary):
            consoles.paragraph(console, _(text), indent=2)
        if shelves.of(folders[each.id]):
            consoles.code(console, str(folders[each.id]), indent=2, style=consoles.QUIET)
        for name, part in each.parts.items():
            sentence = _("{framework}: {n} steps").format(framework=f"`{name}`", n=len(part.steps))
            consoles.paragraph(console, sentence, indent=2, style=consoles.QUIET)
            for variant in part.variants:
                command = f"course start {each.id} --fw {name} DIR --bugs {variant.fault}"
                also = _("{command}: a separate exercise").format(command=f"`{command}`")
                consoles.paragraph(console, also, indent=2, style=consoles.QUIET)
            _show_walk(console, part)
            for progress_ in _of(part, known):
                _show(console, progress_)
    console.print()
    ways = _(
        "`course run LESSON` guides you through a lesson. `course start LESSON` makes your own "
        "copy of its script. You fix this copy yourself."
    )
    consoles.paragraph(console, ways)


def _of(part: "Part", known: "list[Progress]") -> "list[Progress]":
    """Return the progress of a part's exercises that are still there or were finished."""
    mine = [p for p in known if (p.lesson, p.framework) == (part.lesson, part.framework)]
    return [p for p in mine if p.healthy or os.path.exists(p.path)]


def _walk(known: WalkProgress) -> dict[str, Any]:
    return {**consoles.fields_of(known, "step", "walks", "guesses"), "guessed_at_once": known.right}


def _show_walk(console: Console, part: Part) -> None:
    """Print where the walk was left, and how it goes on."""
    known = walk_progress.of(part)
    steps = [
        each.id for walked in lesson.walked(part.lesson, part.framework) for each in walked.steps
    ]
    if steps.count(known.step or "") == 1:
        command = f"`course run {part.lesson}{framework_option(part)}{spoken_option()}`"
        place = _("Step {n} of {all}").format(n=steps.index(known.step or "") + 1, all=len(steps))
        sentence = _("{command} continues where you stopped.").format(command=command)
        consoles.paragraph(console, about(place, sentence), indent=2)
    elif known.walks:
        consoles.paragraph(console, _("You have finished the steps of this lesson."), indent=2)


def _show(console: "Console", known: "Progress") -> None:
    """Print a bar of the bugs that are behind, and where the exercise lies."""
    done, all_ = len(known.behind), len(known.bugs)
    bar = Text("  ").append_text(consoles.bar(console, done, all_))
    text = (
        _("first trained on {day}").format(day=known.healthy[:10])
        if known.healthy
        else _("{done} of {all} bugs fixed").format(done=done, all=all_)
    )
    bar.append(f"  {text}", "green" if known.healthy else "")
    bar.append("  ").append(consoles.verbatim(known.path), consoles.QUIET)
    console.print(bar, soft_wrap=True)
