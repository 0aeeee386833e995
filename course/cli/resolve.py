"""What the words of a command mean: lessons, exercises, steps, frameworks, hubs, places."""

import contextlib
import math
from pathlib import Path

from rich.console import Console

from course.base.errors import UserError
from course.base.i18n import _
from course.cli.learner.copy_report import problem
from course.cli.terminal import consoles, live
from course.cli.terminal.help import unknown
from course.exercise import practice, progress
from course.exercise.working_copy import Copy, find, read
from course.lesson import lesson
from course.lesson.lesson import Lesson, Part
from course.runs import hub as hubs
from course.runs.environment import runtime as runtimes
from course.runs.environment.runtime import Runtime, RuntimeMissing
from course.runs.hub import Hub
from course.runs.process import TIMEOUT
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm

HUBS = (hubs.EMBEDDED, hubs.ONLINE)
DEVICES = ("cpu", "cuda")


def find_lesson(name: str) -> Lesson:
    """Find the lesson of this id.

    Raises:
        UserError: there is none; names the nearest.

    """
    known = lesson.ids()
    if name not in known:
        raise UserError(unknown(_("There is no lesson {name}."), name, known))
    return lesson.load(name)


def find_part(name: str, fw: str | None) -> Part:
    """Find the part of a lesson in a framework; without one named, its first.

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


def is_lesson(word: str) -> bool:
    """Whether a word is the bare id of a lesson: that means the lesson, whatever lies here."""
    return word in lesson.ids()


def find_copy(word: str | None, fw: str | None = None) -> Copy:
    """Find the working copy that a word means: a path, or a lesson's copy that was run last.

    Raises:
        UserError: there is none, or the word fits several.

    """
    where = Path(word or ".")
    if word is not None and is_lesson(word) and not (where.is_dir() and holds_copy(where)):
        known = [p for p in progress.everything() if p.lesson == word and Path(p.path).is_file()]
        known = [p for p in known if fw in (None, p.framework)]
        if not known:
            sentence = _("You have no exercise of {lesson} yet: {command} makes one.")
            command = f"`course start {word}`"
            raise UserError(sentence.format(lesson=f"`{word}`", command=command))
        where = Path(known[0].path)
    copy = read(find(where))
    consoles.follow(copy.header.lang)
    if copy.about_its_header:
        consoles.note(copy.about_its_header)
    return copy


def find_copy_or_lesson(word: str) -> Copy:
    """Find the working copy at a path; a word that is neither may be a lesson misspelt.

    Raises:
        UserError: there is none.

    """
    if not Path(word).exists() and Path(word).name == word and not word.endswith((".py", ".ipynb")):
        raise UserError(unknown(_("There is no lesson or exercise {name}."), word, lesson.ids()))
    return find_copy(word)


def find_current_fault(
    copy: Copy, console: Console, *, cold: bool, quiet: bool
) -> tuple[practice.CurrentFault, str]:
    """Find the fault that bites in a copy, and its problem in words, by this text's last run.

    A text that has not been run yet is run now.
    """
    known = practice.recall(copy)
    if known is not None:
        return known, ""
    context = find_context(copy.part, hubs.EMBEDDED, cold=cold, quiet=quiet)
    done = live.attend(copy, context, console, is_quiet=True)

    # Of a failure that the catalogue doesn't know, the hints for the learner's own say more.
    unknown_failure = done.attempt.verdict.problem == "unknown"
    return practice.current_fault(done.attempt), "" if unknown_failure else problem(done)


def holds_copy(folder: Path) -> bool:
    """Whether a folder holds just one exercise."""
    with contextlib.suppress(UserError):
        find(folder)
        return True
    return False


def find_context(
    part: Part,
    hub: str,
    timeout: float = TIMEOUT,
    *,
    device: str | None = None,
    cold: bool = False,
    quiet: bool = False,
    yes: bool = False,
) -> RunContext:
    """Where runs of a part take place on this machine; `quiet` says nothing about warming up.

    A runtime that is not installed yet is offered on a terminal, and installed with `yes`.

    Raises:
        UserError: the runtime, the hub or the device can't be had, or the time is no time.

    """
    if not (math.isfinite(timeout) and timeout > 0):
        sentence = _("The option {name} needs a number above zero.")
        raise UserError(sentence.format(name="`--timeout`"))
    extra = part.online.requires if hub == hubs.ONLINE else ()
    check_device(device)
    found = _find_runtime(part.framework, (*part.requires, *extra), yes=yes)
    if device == "cuda" and not runtimes.cuda(found):
        sentence = _("{framework} finds no CUDA device here: leave out {option}.")
        raise UserError(sentence.format(framework=f"`{part.framework}`", option="`--device cuda`"))
    began = (lambda: None) if quiet else _say_warming_up
    warm = None if cold else Warm(found, _imports(part.framework), began)
    return RunContext(found, place_hub(found, hub, consoles.err()), device, timeout, warm)


def _find_runtime(framework: str, requires: tuple[str, ...], *, yes: bool) -> Runtime:
    try:
        return runtimes.find(framework, requires)
    except RuntimeMissing:
        from course.cli.environment import installing
        from course.runs.environment import install as installs

        if not (yes or (installing.can_ask() and installing.agreed(framework))):
            raise
        installs.install(framework, tell=consoles.note)
    return runtimes.find(framework, requires)


def _imports(framework: str) -> tuple[str, ...]:
    """Return the imports of all lessons of a framework: one warm runtime serves them all."""
    parts = (p for name in lesson.ids() for p in lesson.load(name).parts.values())
    names = (name for p in parts if p.framework == framework for name in p.imports)
    return tuple(dict.fromkeys(names))


def _say_warming_up() -> None:
    consoles.note(_("Starting a warm runtime: the runs after this one begin at once."))


def check_step(part: Part, step: str | None) -> None:
    """Make sure that the part has this step.

    Raises:
        UserError: it has not; names the nearest.

    """
    known = [s.id for s in part.steps]
    if step is not None and step not in known:
        raise UserError(unknown(_("There is no step {name}."), step, known))


def from_step(part: Part, step: str | None) -> list[Part]:
    """Return the parts that a walk goes through, from the one with this step; all without one.

    Raises:
        UserError: none has it; names the nearest.

    """
    parts = lesson.walked(part.lesson, part.framework)
    if step is None:
        return parts
    known = [[s.id for s in each.steps] for each in parts]
    for number, steps in enumerate(known):
        if step in steps:
            return parts[number:]
    raise UserError(
        unknown(_("There is no step {name}."), step, [s for each in known for s in each])
    )


def check_hub(name: str | None) -> None:
    """Make sure that there is such a hub; no name at all is right.

    Raises:
        UserError: there is none; names the nearest.

    """
    if name is not None and name not in HUBS:
        raise UserError(unknown(_("There is no hub {name}."), name, list(HUBS)))


def check_device(name: str | None) -> None:
    """Make sure that there is such a kind of device; no name at all is right.

    Raises:
        UserError: there is none; names the nearest.

    """
    if name is not None and name not in DEVICES:
        raise UserError(unknown(_("There is no device {name}."), name, list(DEVICES)))


def place_hub(runtime: Runtime, name: str, console: Console) -> Hub:
    """Return the hub of this name, laid out first where that has not been done.

    Raises:
        UserError: there is no such hub, or no room for it.

    """
    check_hub(name)
    if name == hubs.ONLINE:
        return hubs.online()
    if hubs.is_laid_out(runtime):
        hub = hubs.embedded(runtime)
    else:
        with consoles.progress(console, _("Laying out the embedded hub (once) …")):
            hub = hubs.embedded(runtime)
    if hub.note:
        consoles.note(hub.note)
    return hub
