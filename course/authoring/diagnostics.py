"""What the author of a fault needs to know of a run that did not show it."""

import json
import re
from collections.abc import Iterator, Mapping

from course.authoring.lesson_check import CheckResult
from course.base import schema
from course.base.i18n import _, about, enumerate_words, numbers
from course.lesson.catalogue import catalogue, entry
from course.lesson.signature import SCRIPT, Signature, SilentSignature
from course.lesson.silent_signature import Condition
from course.runs.record import Raised, RunRecord

LONGEST = 200
"""Characters of a message that a proposed signature quotes."""


def reasons(result: CheckResult) -> Iterator[str]:
    """Why the fault that was expected was not found in a run, signature by signature."""
    fault = catalogue().get(result.expected or "")
    if fault is None or result.observed == result.expected:
        return
    file = schema.shown(entry(fault.id))
    for number, signature in enumerate(fault.signatures, start=1):
        where = f"`{file}`, `[[signature]]` {number}"
        for sentence in _misfits(signature, result):
            yield about(where, sentence)


def _misfits(signature: Signature | SilentSignature, result: CheckResult) -> Iterator[str]:
    record = result.record
    if isinstance(signature, Signature):
        if record.raised is not None:
            keys = enumerate_words(f"`{key}`" for key in signature.misfits(record))
            yield _("the exception of the run does not match {keys}.").format(keys=keys)
        else:
            yield _("no exception was raised, but {key} expects one.").format(key="`exception`")
    elif record.raised is not None:
        yield _("the exception of the run does not match {keys}.").format(keys="`effect`")
    else:
        figures = record.figures
        yield from (_measured(c, figures) for c in signature.conditions if not c.holds(figures))
        if not signature.conditions:
            names = {"effect": f"`{signature.effect}`", "cause": f"`{signature.cause}`"}
            yield _("the run did not show {effect} and {cause} together.").format(**names)


def _measured(condition: Condition, figures: Mapping[str, float]) -> str:
    """Describe the measured figures where a condition does not hold."""
    name = f"`{condition.figure}`"
    if condition.figure not in figures:
        told = _told(name, _("not measured"), condition)
        return schema.suggest(told, condition.figure, figures)
    return _told(name, numbers.significant(figures[condition.figure]), condition)


def _told(name: str, value: str, condition: Condition) -> str:
    bounds = [("above", condition.above), ("below", condition.below)]
    wanted = enumerate_words(f"`{key} = {bound:g}`" for key, bound in bounds if bound is not None)
    sentence = _("the measured value {name}: {value} (expected: {wanted}).")
    return sentence.format(name=name, value=value, wanted=wanted)


def proposal(record: RunRecord) -> str:
    """Make a signature of a run's exception, as it would stand in an entry of the catalogue."""
    raised = record.raised
    if raised is None:
        return ""
    line = next(iter(raised.message.strip().splitlines()), "")[:LONGEST]
    entries = {
        "wording": _basic("later"),
        "exception": _basic(raised.type),
        "message": _literal(_pattern(line)),
        "example": _basic(line),
        **_module(raised),
        "seen": _basic(_seen(record)),
    }
    return "\n".join(["[[signature]]", *(f"{key} = {value}" for key, value in entries.items())])


def _pattern(line: str) -> str:
    """Make a pattern of a message, in which a number stands for any number."""
    return re.sub(r"\d+", r"\\d+", re.escape(line).replace("\\ ", " "))


def _module(raised: Raised) -> dict[str, str]:
    """Make the pattern of the module that raised; none where no library did."""
    if raised.origin is None:
        return {}
    package = raised.origin.module.partition(".")[0]
    return {"module": _literal(package if package == SCRIPT else rf"{package}(?:\..+)?")}


def _seen(record: RunRecord) -> str:
    """Return the library that raised, with its version; else the interpreter."""
    origin = record.raised.origin if record.raised else None
    package = origin.module.partition(".")[0] if origin else ""
    name = package if package in record.versions else "python"
    version = record.versions.get(name, "").partition("+")[0]
    return f"{name} {version}".strip()


def _basic(text: str) -> str:
    """Make a TOML string in double quotes, which is one of JSON."""
    return json.dumps(text, ensure_ascii=False)


def _literal(text: str) -> str:
    """Make a TOML string in single quotes, with a plain backslash, if the text can be in one."""
    return _basic(text) if "'" in text else f"'{text}'"


def figures(result: CheckResult, healthy: CheckResult | None) -> Iterator[str]:
    """Each figure that was measured, by its name; in brackets that of the healthy run, if given."""
    measured = result.record.figures
    known = healthy.record.figures if healthy is not None else {}
    names = sorted(measured.keys() | known.keys())
    width = max(map(len, names), default=0)
    for name in names:
        beside = f"  ({_figure(known, name)})" if healthy is not None else ""
        yield f"{name:{width}}  {_figure(measured, name):>10}{beside}"


def _figure(values: Mapping[str, float], name: str) -> str:
    return numbers.significant(values[name], 4) if name in values else "–"
