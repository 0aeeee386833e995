"""Stacks of libraries: results are kept whole, and a fault that stops biting is an alarm."""

import json
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from course.lesson.catalogue import catalogue
from course.lesson.signature import Signature
from course.runs.environment.runtime import Environment
from course.runs.record import RunRecord, parse
from tests import provoking
from tests.benchmark_module import of_benchmarks
from tests.command import ROOT

LIBRARIES = {"transformers": "5.0.0"}


stacks = of_benchmarks("stacks")
stacks_page = of_benchmarks("stacks_page")


def measured(stacks: ModuleType, **outcomes: str) -> dict[str, object]:
    cases = {case: stacks.Result(outcome) for case, outcome in outcomes.items()}
    return {"pt-5.0": stacks.Measured(LIBRARIES, "2026-11-28", cases)}


def test_the_page_is_what_the_results_make(stacks_page: ModuleType) -> None:
    made, kept = (
        # The catalogue grows between two measurements: signatures are counted with each.
        re.sub(r"## Signatures\n[^#]*", "", text)
        for text in (stacks_page.text(), stacks_page.PAGE.read_text("utf-8"))
    )
    assert kept == made, "python benchmarks/page.py"


def test_a_signature_bites_somewhere_or_says_why_it_cannot(
    stacks: ModuleType, stacks_page: ModuleType
) -> None:
    """One is left: a `TypeError` of Keras 3 about objects of earlier Keras, which no script has."""
    kept = [r for each in stacks.read(stacks.STORED).values() for r in each.cases.values()]
    bitten = {key for result in kept for key in (result.signature, *result.fits)}
    stored = provoking.stored() | provoking.stored(provoking.WORDINGS)
    records = [parse(events) for events in stored.values()]
    left = [
        f"{fault.id}: {signature.example}"
        for fault in catalogue().values()
        for signature in fault.signatures
        if isinstance(signature, Signature)
        and stacks.signature_key(fault.id, signature) not in bitten
        and "no script" in stacks_page.mark(fault.id, signature)
        and not any(map(signature.fit, records))
    ]
    assert len(left) <= 1, left


def test_results_are_read_as_they_were_written(stacks: ModuleType, tmp_path: Path) -> None:
    found = measured(stacks, one="recognised", two="silent")
    words = stacks.Result(
        *("taken for another", "ValueError: no", "wrong-type", "wrong-type/12ab34cd"),
        fits=("size-1-array/34cd12ab",),
    )
    newest = stacks.Measured({}, "2026-11-28", {"one": stacks.Result("recognised"), "two": words})
    found["pt-newest"] = newest
    stacks.write(tmp_path / "results.json", found)
    assert stacks.read(tmp_path / "results.json") == found
    # What is the same in two stacks stands there once.
    document = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert document["cases"]["one"] == [
        {"outcome": "recognised", "stacks": ["pt-5.0", "pt-newest"]}
    ]
    assert stacks.read(tmp_path / "none.json") == {}


@pytest.mark.parametrize(
    ("was", "is_", "alarmed"),
    [
        ("recognised", "silent", True),
        ("recognised", "not recognised", True),
        ("recognised", "taken for another", True),
        ("recognised", "no result", True),
        ("recognised", "timed out", True),
        ("not recognised", "silent", True),
        ("recognised", "recognised", False),
        ("recognised", "not supported", False),
        ("silent", "silent", False),
        ("silent", "recognised", False),
        ("no result", "silent", False),
        ("timed out", "silent", False),
        ("not recognised", "recognised", False),
    ],
)
def test_a_fault_that_stops_biting_is_named(
    stacks: ModuleType, was: str, is_: str, alarmed: bool
) -> None:
    found = stacks.alarms(measured(stacks, fault=was), measured(stacks, fault=is_))
    assert found == ([f"pt-5.0: fault: {is_} (was: {was})"] if alarmed else [])


def test_what_is_not_stored_yet_alarms_nobody(stacks: ModuleType) -> None:
    assert stacks.alarms({}, measured(stacks, fault="silent")) == []
    assert stacks.alarms(measured(stacks), measured(stacks, fault="silent")) == []


def test_a_record_gives_its_words_its_fault_and_the_signature(stacks: ModuleType) -> None:
    record = parse(provoking.stored()["label-dtype"])
    found = stacks.of_record("label-dtype", record)
    assert found.outcome == "recognised"
    assert found.words.startswith("RuntimeError: expected ")
    keys = [
        stacks.signature_key("label-dtype", each)
        for each in catalogue()["label-dtype"].signatures
        if isinstance(each, Signature)
    ]
    assert found.signature in keys
    assert len(set(keys)) == len(keys)
    assert stacks.of_record("batch-of-one", record).outcome == "taken for another"
    assert stacks.of_record("label-dtype", RunRecord("finished")).outcome == "silent"
    assert stacks.of_record("label-dtype", RunRecord("died")).outcome == "no result"


def test_a_walk_without_an_end_is_stopped_and_never_counts_as_passed(
    stacks: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(stacks, "PATIENCE", 0)
    environment = Environment("named", sys.executable, "3.11", ())
    monkeypatch.setattr(
        stacks.runtime, "libraries", lambda *_of: Namespace(missing=(), unfit=(), versions={})
    )
    found = dict(stacks.walk("ch8-4", "pt", environment, tmp_path))
    assert found == {"ch8-4:pt": stacks.Result("timed out", "no end in 0 seconds")}


def test_only_what_has_no_result_is_measured_again(
    stacks: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[list[str]] = []

    def provoke(names: list[str], _python: str, _home: Path) -> Iterator[tuple[str, object]]:
        asked.append(names)
        yield from ((name, stacks.Result("silent")) for name in names)

    monkeypatch.setattr(stacks, "provoke", provoke)
    monkeypatch.setattr(stacks.lesson, "ids", list)
    names = [*provoking.names(), *provoking.old_names()]
    known = {name: stacks.Result("recognised") for name in names}
    known["label-dtype"] = stacks.Result("no result")
    del known["empty-dataset"]
    environment = Environment("named", sys.executable, "3.11", ())
    for case, result in stacks.measure("pt-5.0", environment, tmp_path, known, stacks.PARTS):
        known[case] = result
    assert asked == [["empty-dataset", "label-dtype"]]


def test_a_lesson_is_not_walked_with_libraries_that_it_does_not_support(
    stacks: ModuleType, tmp_path: Path
) -> None:
    nothing = Environment("named", sys.executable, "3.11.1", (str(tmp_path),))
    ((case, result),) = stacks.walk("ch8-4", "pt", nothing, tmp_path)
    assert case == "ch8-4:pt"
    assert result.outcome == "not supported"
    assert "transformers>=4.46" in result.words


def test_every_stack_is_measured_each_night(stacks: ModuleType) -> None:
    workflow = (ROOT / ".github" / "workflows" / "stacks.yml").read_text("utf-8")
    assert re.findall(r"^ {10}- (\S+)$", workflow, re.M) == list(stacks.STACKS)


@pytest.mark.parametrize(
    ("origin", "old"),
    [
        ("torch 0.4 to 1.4", True),
        ("torch 0.4 to 2.13", False),
        ("torch 2", False),
        ("tensorflow 1 and 2; reports of users", False),
        ("transformers 4.30; reports of users", True),
        ("transformers 4 and 5", False),
    ],
)
def test_a_wording_is_old_where_no_stack_has_its_versions(
    stacks_page: ModuleType, origin: str, old: bool
) -> None:
    signature = Signature("builtins.ValueError", "no", "no", origin)
    assert (stacks_page.mark("wrong-type", signature) == "old") == old


def test_what_was_measured_is_kept_when_the_user_stops(
    stacks: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def provoke(names: list[str], _python: str, _home: Path) -> Iterator[tuple[str, object]]:
        yield names[0], stacks.Result("recognised")
        raise KeyboardInterrupt

    monkeypatch.setattr(stacks, "provoke", provoke)
    environment = Environment("named", sys.executable, "3.11", ())
    monkeypatch.setattr(stacks, "make", lambda *_words, **_options: environment)
    monkeypatch.setattr(stacks.user_environment, "use", lambda *_words: None)
    monkeypatch.setenv("COURSE_RUNTIMES", str(tmp_path))
    words = ["stacks.py", "--place", str(tmp_path), "pt-5.0", "--only", "scripts"]
    monkeypatch.setattr(sys, "argv", words)
    assert stacks.main() == 130
    assert "goes on from there" in capsys.readouterr().out
    (first,) = stacks.read(tmp_path / "results.json")["pt-5.0"].cases
    assert first == next(name for name in provoking.names() if not name.endswith(".keras"))


def test_libraries_that_cannot_be_imported_together_give_no_result(
    stacks: ModuleType, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho label-dtype\nexit 3\n")
    python.chmod(0o755)
    found = dict(stacks.provoke(["label-dtype", "empty-dataset"], str(python), tmp_path))
    assert found["empty-dataset"] == stacks.Result("no result", "the process ended with 3")
    # Nobody wrote its record.
    assert found["label-dtype"].outcome == "no result"
