"""Runs as data, for programs: `course/schemas/run.schema.json` describes the document."""

import dataclasses
from pathlib import Path
from typing import Any

from course.base.i18n import _, language
from course.cli.terminal import consoles
from course.exercise.practice import Fix
from course.exercise.walk import Taken
from course.judge.verdict import Verdict
from course.lesson.catalogue import Match
from course.lesson.lesson import Part
from course.render import vitals
from course.runs.record import Raised, RunRecord
from course.runs.run_context import RunContext
from course.runs.script_output import ScriptOutput


def document(
    part: Part | None,
    context: RunContext,
    steps: list[dict[str, Any]],
    *,
    completed: bool,
    **more: Any,
) -> dict[str, Any]:
    """Make the document of runs, of a part unless they are of no lesson, and of where they were."""
    return {
        "lesson": part and part.lesson,
        "framework": part and part.framework,
        "lang": language(),
        "runtime": context.runtime.versions,
        "device": context.device,
        "hub": context.hub.name,
        "steps": steps,
        "completed": completed,
        **more,
    }


def step_document(verdict: Verdict, record: RunRecord, *, warm: bool) -> dict[str, Any]:
    """Describe one run; `warm` tells whether it began in a warm runtime."""
    raised, match = verdict.raised, verdict.match
    return {
        "step": verdict.step,
        "expected": verdict.expected,
        "observed": observed_document(raised, match),
        "matched": verdict.matched,
        "problem": verdict.problem,
        "candidates": [fault.id for fault in verdict.candidates],
        "evidence": verdict.evidence,
        "warm": warm,
        "seconds": verdict.seconds,
        "metrics": {k: short(v) for k, v in verdict.metrics.items()},
        "vitals": vitals.document(record.vitals),
        "output": output_document(record.output),
    }


def observed_document(raised: Raised | None, match: Match | None) -> dict[str, Any]:
    """Describe what a run showed: the exception in the library's words, and its fault."""
    return {
        "fault": match.fault.id if match else None,
        "exception": raised.name if raised else None,
        "message": raised.message if raised else None,
        "wording": match.signature.wording if match else None,
    }


def output_document(output: ScriptOutput) -> dict[str, Any]:
    """Return the script's output and the libraries' warnings; the whole of it is in `file`."""
    return {
        "lines": [consoles.fields_of(each, "line", "stream", "text") for each in output.lines],
        "omitted": output.omitted,
        "warnings": [dataclasses.asdict(warning) for warning in output.warnings],
        "file": output.file,
    }


def look_documents(taken: Taken) -> list[dict[str, Any]]:
    """Return the results of a step's looks, each with its caption in the user's language."""
    return [
        {
            "caption": _(look.caption),
            "shows": _(look.shows),
            "code": look.code.strip(),
            **consoles.fields_of(result, "output", "error"),
        }
        for look, result in taken.looks
    ]


def fix_document(
    path: Path, fault: str | None, found: Fix | None, *, applied: bool
) -> dict[str, Any]:
    """Describe how the fault that bites is mended, and whether that has been done."""
    return {
        "path": str(path),
        "fault": fault,
        **consoles.fields_of(found or Fix("", ""), "diff", "reason", "line", "cell"),
        "applied": applied,
    }


def short(value: float) -> float:
    """Round a figure to four decimals; a small one, such as a learning rate, to three digits."""
    return round(value, 4) if abs(value) >= 0.01 else float(f"{value:.3g}")
