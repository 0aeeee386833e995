"""What is certain of a quoted error: what its frames and its library say, not its phrases alone."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from course.lesson.catalogue import catalogue
from course.lesson.signature import Signature
from tests.judge.test_quoted import judged

TABLE = tomllib.loads(Path(__file__).with_name("certainty.toml").read_text("utf-8"))
SITE = "/opt/venv/lib/python3.12/site-packages"


def text_of(case: dict[str, Any]) -> str:
    """Put a case together as somebody would paste it."""
    lines = []
    for number, (file, function, code) in enumerate(case.get("frames", ()), start=7):
        path = file if file.endswith("own.py") else f"{SITE}/{file}"
        lines += [f'  File "{path}", line {number}, in {function}', f"    {code}"]
    head = ["Traceback (most recent call last):"] if lines else []
    return case.get("printed", "") + "\n".join([*head, *lines, case["error"]])


def named(text: str) -> list[list[Any]]:
    """What is named, without general faults beside others, and whether each is certain."""
    found = judged(text).found
    special = [m for m in found if not m.fault.general]
    return [[m.fault.id, m.certain] for m in special or found]


@pytest.mark.parametrize("case", TABLE["case"], ids=lambda case: case["error"][:60])
def test_an_error_is_named_as_surely_as_its_words_and_frames_are(case: dict[str, Any]) -> None:
    found = named(text_of(case))
    if "first" in case:
        assert found[:1] == case["first"]
    else:
        assert sorted(found) == sorted(case["named"])


@pytest.mark.parametrize("message", TABLE["versions"])
def test_what_a_newer_version_has_taken_away_names_the_version(message: str) -> None:
    assert named(message)[0] == [TABLE["versions"][message], True]
    explained = judged(message)
    signature = explained.found[0].signature
    assert isinstance(signature, Signature)
    told = signature.shown + explained.error.message
    assert "transformers" in told or "datasets" in told


@pytest.mark.parametrize("text", TABLE["possible"])
def test_what_several_causes_or_others_of_like_words_are_called(text: str) -> None:
    assert [match.fault.id for match in judged(text).found] == TABLE["possible"][text]


@pytest.mark.parametrize("text", TABLE["events"])
def test_a_general_name_says_what_happened_and_not_why(text: str) -> None:
    (match,) = judged(text).found
    assert (match.fault.id, match.certain, match.fault.event) == (TABLE["events"][text], True, True)


def test_all_other_faults_are_causes() -> None:
    events = {fault.id for fault in catalogue().values() if fault.event}
    assert events == set(TABLE["events"].values())


def test_each_fault_that_asks_for_a_frame_is_met_here() -> None:
    asked = {
        fault.id
        for fault in catalogue().values()
        for signature in fault.signatures
        if isinstance(signature, Signature) and signature.frame is not None
    }
    certain = [name for case in TABLE["case"] for name, _is in case.get("named", case.get("first"))]
    assert asked <= set(certain)
