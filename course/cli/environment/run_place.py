"""Where the runs of a command take place, as its options say."""

from rich.console import Console

from course.base.errors import UserError
from course.base.i18n import _
from course.cli.terminal import consoles
from course.lesson import lesson
from course.lesson.lesson import Part
from course.runs import hub as hubs
from course.runs.environment import runtime as runtimes
from course.runs.environment.runtime import Runtime, RuntimeMissing
from course.runs.hub import Hub
from course.runs.process import TIMEOUT
from course.runs.run_context import RunContext, check_device
from course.runs.warm_pool import Warm


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
    """Find where runs of a part take place here; `quiet` says nothing about warming up.

    A runtime that is not installed yet is offered on a terminal, and installed with `yes`.

    Raises:
        UserError: the runtime, the hub or the device can't be had.

    """
    extra = part.online.requires if hub == hubs.ONLINE else ()
    check_device(device)
    found = _find_runtime(part.framework, (*part.requires, *extra), yes=yes)
    needed = part.outcome.processes
    if device == "cuda" and (count := runtimes.cuda(found)) < needed:
        sentence = _("GPUs that {framework} finds: {found}, needed: {needed}. Leave out {option}.")
        names = {"framework": f"`{part.framework}`", "option": "`--device cuda`"}
        raise UserError(sentence.format(**names, found=count, needed=needed))
    warming = _(
        "Starting a warm runtime (a process that has loaded the libraries). Later runs will start "
        "at once."
    )
    began = (lambda: None) if quiet else (lambda: consoles.note(warming))
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


def place_hub(runtime: Runtime, name: str, console: Console) -> Hub:
    """Return the hub of this name, laid out first where that has not been done.

    Raises:
        UserError: there is no such hub, or no room for it.

    """
    hubs.check(name)
    if name == hubs.ONLINE:
        return hubs.online()
    if hubs.is_laid_out(runtime):
        hub = hubs.embedded(runtime)
    else:
        with consoles.progress(console, _("Preparing the embedded hub (only once) …")):
            hub = hubs.embedded(runtime)
    if hub.note:
        consoles.note(hub.note)
    return hub
