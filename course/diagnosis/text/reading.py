"""All that a script's text tells, in the order of its lines."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from course.base.i18n import N_, _
from course.base.texts import sentences
from course.diagnosis.text import (
    data_flow,
    drift,
    last_layer,
    shadowed_module,
    training_calls,
    undefined_name,
)
from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.text_fault import TextFault, patch

UNREADABLE = N_("Python can't read the script")
SYNTAX = N_("This is not valid Python: {message}.")


@dataclass(frozen=True)
class Check:
    """A check of a script's text, and the stage of the pipeline that it is about.

    `why_not` tells why it can't be made with a script, `find` the faults.
    """

    id: str
    stage: str
    find: Callable[[ScriptText], Iterator[TextFault]]
    why_not: Callable[[ScriptText], str | None] = lambda _script: None


CHECKS = (
    Check("names-and-arguments-of-today", "environment", drift.find),
    Check("names-are-made", "script", undefined_name.find),
    Check("data-reach-the-training", "data", data_flow.find, data_flow.why_not),
    Check("last-layer-fits-the-loss", "model", last_layer.find, last_layer.why_not),
    Check("gradients-in-order", "optimizer", training_calls.find, training_calls.why_not),
)
MODULES = "modules-are-the-libraries"
SHOWN = sentences("readings")
"""What each check finds in order."""


@dataclass(frozen=True)
class Reading:
    """What reading a script has found.

    `checked` are the checks that found nothing, each with its stage; `not_checked` those that could
    not be made, each with the reason, a sentence to translate.
    """

    script: ScriptText | None
    faults: tuple[TextFault, ...]
    checked: tuple[tuple[str, str], ...] = ()
    not_checked: tuple[tuple[str, str], ...] = ()

    def diff(self, fault: TextFault) -> str | None:
        """Return the edits that mend one fault, as a diff; None where they are not mechanical."""
        if self.script is None or not fault.mechanical:
            return None
        return patch(self.script, [fault]) or None


def read(name: str, text: str, folder: Path) -> Reading:
    """Read a script; `folder` is where it lies, for the files beside it."""
    try:
        script = ScriptText.read(name, text)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        message = getattr(error, "msg", None) or str(error)
        fault = TextFault("syntax-error", line, SYNTAX, {"message": message})
        return Reading(None, (fault,), not_checked=tuple((c.id, UNREADABLE) for c in CHECKS))
    found = list(shadowed_module.find(script, folder))
    checked = [("parses", "script"), *([] if found else [(MODULES, "environment")])]
    not_checked = []
    for check in CHECKS:
        reason = check.why_not(script)
        if reason is not None:
            not_checked.append((check.id, reason))
            continue
        faults = list(check.find(script))
        found += faults
        if not faults:
            checked.append((check.id, check.stage))
    found.sort(key=lambda fault: fault.line)
    return Reading(script, tuple(_once(found)), tuple(checked), tuple(not_checked))


def _once(found: Iterable[TextFault]) -> Iterator[TextFault]:
    """Each fault once that nothing mends, with all its lines; those to mend at each place."""
    found = list(found)
    alike: dict[tuple[str, str], list[TextFault]] = {}
    for each in found:
        if not each.mechanical:
            alike.setdefault((each.fault, each.sentence), []).append(each)
    for each in found:
        same = alike.get((each.fault, each.sentence), [each]) if not each.mechanical else [each]
        if each is same[0]:
            others = dict.fromkeys(other.line for other in same if other.line != each.line)
            yield replace(each, also=tuple(others))


def sentence(check: str) -> str:
    """Return the sentence for a check that is in order, in the user's language."""
    return _(SHOWN[check])
