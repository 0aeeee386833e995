"""What the words of a command mean: lessons, steps, frameworks, hubs."""

from rich.console import Console

from course.cli import screen
from course.cli.help import unknown
from course.errors import UserError
from course.i18n import _
from course.lesson import lesson
from course.lesson.lesson import Lesson, Part
from course.run import hub as hubs
from course.run.hub import Hub
from course.run.runtime import Runtime

HUBS = (hubs.EMBEDDED, hubs.ONLINE)


def find_lesson(name: str) -> Lesson:
    """The lesson of this id.

    Raises:
        UserError: there is none; names the nearest.

    """
    known = lesson.ids()
    if name not in known:
        raise UserError(unknown(_("There is no lesson {name}."), name, known))
    return lesson.load(name)


def find_part(name: str, fw: str | None) -> Part:
    """The part of a lesson in a framework; without one named, its first.

    Raises:
        UserError: the lesson or its framework does not exist.

    """
    found = find_lesson(name)
    known = list(found.parts)
    if fw is None:
        return found.parts[known[0]]
    if fw not in known:
        sentence = _("The lesson {lesson} does not come in the framework {name}.")
        raise UserError(unknown(sentence.format(lesson=f"`{name}`", name="{name}"), fw, known))
    return found.parts[fw]


def framework_parts(fw: str) -> list[Part]:
    """All parts in a framework.

    Raises:
        UserError: no lesson comes in it.

    """
    parts = [part for name in lesson.ids() for part in lesson.load(name).parts.values()]
    found = [part for part in parts if part.framework == fw]
    if not found:
        known = sorted({part.framework for part in parts})
        raise UserError(unknown(_("There is no framework {name}."), fw, known))
    return found


def check_step(part: Part, step: str | None) -> None:
    """Make sure that the part has this step.

    Raises:
        UserError: it has not; names the nearest.

    """
    known = [s.id for s in part.steps]
    if step is not None and step not in known:
        raise UserError(unknown(_("There is no step {name}."), step, known))


def place_hub(runtime: Runtime, name: str, console: Console) -> Hub:
    """The hub of this name, laid out first where that has not been done.

    Raises:
        UserError: there is no such hub, or no room for it.

    """
    if name not in HUBS:
        raise UserError(unknown(_("There is no hub {name}."), name, list(HUBS)))
    if name == hubs.ONLINE:
        return hubs.online()
    if hubs.is_laid_out(runtime):
        hub = hubs.embedded(runtime)
    else:
        with screen.progress(console, _("Laying out the embedded hub (once) …")):
            hub = hubs.embedded(runtime)
    if hub.note:
        screen.note(hub.note)
    return hub
