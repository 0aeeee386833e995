"""What scripts really ended with is named: each by its own fault, and no more surely than it is."""

import re
from dataclasses import replace

import pytest

from course.lesson.catalogue import naming
from course.runs.record import parse
from tests import provoking

STORED = provoking.stored()
WORDINGS = provoking.stored(provoking.WORDINGS)


def test_every_script_has_its_stored_record() -> None:
    assert list(STORED) == provoking.names()


@pytest.mark.parametrize("name", [*STORED, *WORDINGS])
def test_a_stored_record_is_named_by_its_own_fault(name: str) -> None:
    record = parse((STORED | WORDINGS)[name])
    assert record.status == "exception"
    found = naming(record)
    assert found
    assert found[0].fault.id == re.split(r"[.@]", name)[0], [m.fault.id for m in found]
    # A general fault stands behind all others.
    order = [match.fault.general for match in found]
    assert order == sorted(order)


@pytest.mark.live
def test_the_words_of_a_message_are_enough_to_name_it_possibly() -> None:
    """A traceback that was pasted has no state: its fault is still among those named."""
    for name, events in (STORED | WORDINGS).items():
        record = parse(events)
        assert record.raised is not None
        if getattr(naming(record)[0].signature, "frame", None):
            # Its words are Python's own: a line of the traceback tells the fault.
            continue
        words = replace(record.raised, state={}, frames=(), owner=(), near=(), by_words=True)
        found = naming(replace(record, raised=words, versions={}))
        assert re.split(r"[.@]", name)[0] in [match.fault.id for match in found], name
