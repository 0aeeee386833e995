"""Every record shows its own fault and no other; a look-alike shows none."""

from dataclasses import replace
from pathlib import Path

import pytest

from course.check.verdict import quoted
from course.errors import ContentError
from course.fault import catalogue
from course.fault.catalogue import Fault, matches
from course.fault.signature import Signature
from course.run.record import Frame, Raised, RunRecord, parse
from tests.conftest import RECORDS

STORED = sorted(RECORDS.glob("*/*.jsonl"))
SIGNATURES = [(f, s) for f in catalogue.catalogue().values() for s in f.signatures]


def faults(record: RunRecord) -> list[str]:
    return [m.fault.id for m in matches(record)]


def test_records_of_both_stacks_are_stored() -> None:
    stacks = {p.parent.name for p in STORED}
    assert {"today", "lowest"} <= stacks
    for stack in ("today", "lowest"):
        shown = {p.name.split(".")[0] for p in STORED if p.parent.name == stack}
        assert shown >= {
            "missing-input-ids",
            "length-mismatch",
            "target-out-of-bounds",
            "size-1-array",
            "dataset-from-evaluate",
            "missing-import",
            "hub-unreachable",
            "none",
        }


@pytest.mark.parametrize("stored", STORED, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_stored_record_shows_exactly_its_own_fault(stored: Path) -> None:
    name = stored.name.split(".")[0]
    record = parse(stored.read_text("utf-8").splitlines())
    assert record.status in ("exception", "finished")
    assert faults(record) == ([] if name == "none" else [name])


@pytest.mark.parametrize(("fault", "signature"), SIGNATURES, ids=lambda v: getattr(v, "id", ""))
def test_the_words_of_a_signature_are_those_of_its_own_fault(
    fault: Fault, signature: Signature
) -> None:
    record = quoted(signature)
    assert record.raised is not None
    raised = replace(record.raised, owner=(signature.owner,) if signature.owner else ())
    if signature.module == "__main__":
        frame = Frame("__main__", "exercise.py", "<module>", 1, "", script=True)
        raised = replace(raised, frames=(frame,))
    assert faults(replace(record, raised=raised)) == [fault.id]


def test_the_course_words_are_told_from_later_ones() -> None:
    for fault in catalogue.catalogue().values():
        if fault.quoted:
            (match,) = matches(quoted(fault.quoted))
            assert match.signature.wording == "course"


def out_of_memory(device: str) -> RunRecord:
    """Made up in the shape that torch documents: no GPU has been had for a recording yet."""
    classes = ("torch.OutOfMemoryError", "builtins.RuntimeError", "builtins.Exception")
    frame = Frame("torch.nn.functional", "torch/nn/functional.py", "linear", 1, "")
    text = "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 8 GiB."
    return RunRecord("exception", device=device, raised=Raised(classes[0], classes, text, (frame,)))


def test_a_subclass_is_known_by_its_ancestors_and_a_device_by_its_name() -> None:
    assert faults(out_of_memory("cuda")) == ["cuda-out-of-memory"]
    assert faults(out_of_memory("cpu")) == []


def test_a_signature_may_ask_for_versions() -> None:
    asking = Signature("later", "m.E", "boom", "boom", "", versions={"transformers": ">=5"})
    raised = Raised("m.E", ("m.E",), "boom")
    assert asking.matches(RunRecord("exception", {"transformers": "5.1.0"}, raised=raised))
    assert asking.matches(RunRecord("exception", {"transformers": "5.2.0.dev0"}, raised=raised))
    assert not asking.matches(RunRecord("exception", {"transformers": "4.57"}, raised=raised))
    assert not asking.matches(RunRecord("exception", {}, raised=raised))


def test_a_hostile_message_does_not_hang_the_matcher() -> None:
    raised = Raised("builtins.FileNotFoundError", ("builtins.FileNotFoundError",), "x" * 10**7)
    assert faults(RunRecord("exception", raised=raised)) == []


GOOD = """
format = 1
id = "one"
stage = "data"
title = "T"
means = "M"
where = "W"
fix = "F"
[[signature]]
wording = "course"
exception = "builtins.ValueError"
message = "boom"
example = "boom 3"
seen = "course"
"""


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("format = 1", "format = 7", "format"),
        ('id = "one"', 'id = "two"', "not the name of the file"),
        ('stage = "data"', 'stage = "kitchen"', "no stage"),
        ('title = "T"', "", "title"),
        ('wording = "course"', 'wording = "shouted"', "no wording"),
        ('example = "boom 3"', 'example = "bang"', "not found in its own example"),
        ('message = "boom"', 'message = "boom("', "error"),
        ("[[signature]]", "[signature", "TOMLDecodeError"),
    ],
)
def test_a_broken_entry_says_where(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    entry = tmp_path / "one.toml"
    entry.write_text(GOOD)
    assert catalogue.read(entry).id == "one"
    entry.write_text(GOOD.replace(old, new))
    with pytest.raises(ContentError, match=complaint):
        catalogue.read(entry)
