"""Which libraries a script is made with."""

from course.runs.record import RunRecord

KERAS = frozenset({"keras", "tf_keras", "tensorflow"})
"""Packages of Keras, and below it."""
TRIED = "torch 2.13.0"
"""Where a silent fault was seen, unless its entry says so itself."""


def tells_of_other(words: str) -> bool:
    """Return whether words such as `keras 3.15.1` name a library of the other framework."""
    return any(name in words for name in KERAS)


def is_of_other(record: RunRecord) -> bool:
    """Whether a run is one of Keras: by the lines that raised, else by what is installed."""
    raised = record.raised
    roots = {f.module.partition(".")[0] for f in raised.frames} if raised is not None else set()
    if roots & (KERAS | {"torch"}):
        return "torch" not in roots
    return "torch" not in record.versions and not KERAS.isdisjoint(record.versions)
