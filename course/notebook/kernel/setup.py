"""Preparing a kernel for an exercise: its libraries are there, its models and data are offline."""

import os
import sys
import time

from course.base.errors import UserError
from course.base.i18n import _, enumerate_words, in_a_row, ngettext, numbers
from course.lesson import lesson
from course.lesson.bug import Bug
from course.lesson.lesson import Part
from course.runs import hub as hubs
from course.runs.environment import runtime as runtimes
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub
from course.runs.process import keep_off_gpu
from course.runs.run_context import check_device

READ_ONCE = ("huggingface_hub", "datasets", "evaluate")
"""Libraries that read where models and data lie as they are imported, and never again."""


def exercise(
    name: str, framework: str, faults: tuple[str, ...] | None
) -> tuple[Part, tuple[Bug, ...]]:
    """Return the part that a notebook is an exercise of, and its bugs; all of them for None.

    Raises:
        UserError: there is no such lesson, framework or bug in this version.

    """
    parts = lesson.load(name).parts if name in lesson.ids() else {}
    part = parts.get(framework) if framework else next(iter(parts.values()), None)
    known = {bug.fault for bug in part.known} if part is not None else set()
    if part is None or set(faults or ()) - known:
        raise UserError(no_such_exercise())
    chosen = part.bugs if faults is None else tuple(b for b in part.known if b.fault in faults)
    return part, chosen


def no_such_exercise() -> str:
    """Say that what a header tells of can't be had."""
    return _(
        "This version of `course` does not have this exercise. Make a new notebook with this "
        "version."
    )


def about(part: Part, bugs: tuple[Bug, ...]) -> str:
    """Describe an exercise in a sentence: lesson, framework, title, number of bugs."""
    title = _(lesson.load(part.lesson).title)
    sentence = ngettext(
        "{lesson} ({framework}), {title}: {n} bug to find.",
        "{lesson} ({framework}), {title}: {n} bugs to find.",
        len(bugs),
    )
    return sentence.format(
        lesson=f"`{part.lesson}`", framework=f"`{part.framework}`", title=title, n=len(bugs)
    )


def place(part: Part, hub: str, device: str = "") -> tuple[Hub, str]:
    """Have this kernel find the lesson's models and data; which hub it is, and a sentence on it.

    It must come before the libraries.

    It trains on the CPU, as tiny models are quicker there, unless the `device` is `cuda`.

    Raises:
        UserError: there is no such hub or device, a library is missing or was imported too early,
            or there is no room.

    """
    online = hub == hubs.ONLINE
    hubs.check(hub or None)
    check_device(device or None)
    runtime = _runtime(part, part.online.requires if online else ())
    began = time.monotonic()
    found = hubs.online() if online else hubs.embedded(runtime)
    variables = {**found.environment, **found.pace}
    changed = {k: v for k, v in variables.items() if os.environ.get(k) != v}
    imported = [name for name in READ_ONCE if name in sys.modules]
    if changed and imported and not online:
        raise UserError(
            _(
                "These modules were imported before this cell: {modules}. So they look for models "
                "and data in another place. Restart the kernel, and run this cell first."
            ).format(modules=enumerate_words(f"`{name}`" for name in imported))
        )
    os.environ.update(variables)
    if device != "cuda":
        os.environ.update(keep_off_gpu())
    versions = enumerate_words(f"`{k} {v}`" for k, v in runtime.versions.items())
    if online:
        message = _("Models and data come from the real hub. Libraries: {versions}.")
        return found, message.format(versions=versions)
    message = _(
        "Models and data come from the embedded hub (a tiny model, our own sentences), so no "
        "network is needed. The hub is in {folder}. It was ready after {seconds} s. Libraries: "
        "{versions}."
    )
    folder = found.environment["HF_HOME"]
    took = numbers.decimal(time.monotonic() - began, 1)
    return found, message.format(folder=f"`{folder}`", seconds=took, versions=versions)


def _runtime(part: Part, more: tuple[str, ...]) -> Runtime:
    """Return the kernel's own environment as a runtime.

    Raises:
        UserError: what the lesson needs is not in its environment.

    """
    environment = runtimes.own()
    requires = (*part.requires, *more)
    found = runtimes.libraries(environment, requires)
    lacking = [*found.missing, *found.unfit]
    if lacking:
        needed = " ".join(f'"{text}"' for text in requires)
        raise UserError(
            in_a_row(
                _("The lesson needs libraries that this kernel does not have: {libraries}.").format(
                    libraries=enumerate_words(f"`{text}`" for text in lacking)
                ),
                _(
                    "Choose the kernel that {command} makes for Jupyter, or run {install} in a "
                    "cell and restart the kernel."
                ).format(
                    command=f"`course runtime kernel {part.framework}`",
                    install=f"`%pip install {needed}`",
                ),
            )
        )
    return Runtime(part.framework, environment.python, found.versions, environment.site)
