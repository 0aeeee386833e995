"""Attacks by which a run was deceived that is not asked by its parts: they gain nothing any more.

The ideas are those of a hand that had not seen the program, the texts are ours: each is the mended
script of a lesson, with one change by which a bug is back where a run had not looked for it.
"""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from course.exercise import patch
from course.lesson import lesson
from tests.live.test_class_lessons import given_out, graded
from tests.tiers import selected

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux")


DECEITS = tomllib.loads(Path(__file__).with_name("deceits.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def found(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Grade what was selected, a class for each lesson."""
    chosen: list[str] = selected(request, "way")
    grades: dict[str, Any] = {}
    for name in dict.fromkeys(DECEITS[way]["lesson"] for way in chosen):
        place = tmp_path_factory.mktemp(name)
        ways = [way for way in chosen if DECEITS[way]["lesson"] == name]
        texts = given_out(place, name, ways)
        for way, text in texts.items():
            mended = text
            for bug in lesson.load(name).parts["pt"].known:
                mended = patch.take_out(mended, bug)
            for edit in DECEITS[way]["edit"]:
                old, new = edit["old"], edit["new"]
                assert old in mended, old
                # The last place: what a lesson does once by hand comes before.
                mended = new.join(mended.rsplit(old, 1))
            texts[way] = mended
        grades |= graded(place, name, texts, 240)
    return grades


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", DECEITS)
def test_a_run_is_not_deceived(found: dict[str, Any], way: str) -> None:
    grade, deceit = found[way], DECEITS[way]
    told = json.dumps(grade, indent=1)
    left = {each["fault"] for each in grade["bugs"] if not each["gone"]}
    assert left == {deceit["fault"]}, told
    assert not grade["healthy"]["reached"], told
