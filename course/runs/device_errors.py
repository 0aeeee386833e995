"""Errors of a GPU, which come late: what the device itself printed tells of their cause."""

from dataclasses import replace
from pathlib import Path

from course.runs.record import RunRecord
from course_probe.exception_report import ASSERTED, LATE


def with_cause(record: RunRecord, output: Path) -> RunRecord:
    """Put what the device printed in a run's `output` before the message of the error.

    A record of any other error, or without such a line, is returned as it is.
    """
    raised = record.raised
    if raised is None or not LATE.search(raised.message):
        return record
    with output.open(encoding="utf-8", errors="replace") as lines:
        found = next((each for each in map(ASSERTED.search, lines) if each), None)
    if found is None:
        return record
    return replace(record, raised=replace(raised, message=f"{found.group()}\n{raised.message}"))
