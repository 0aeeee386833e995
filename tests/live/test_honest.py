"""Honest submissions get full marks, in the real sandbox.

A few that one crash would have hidden are of the live tier, the whole corpus of the exhaustive one.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.honest.corpus import HonestSubmission, submissions
from tests.live.classes import grade_class, make_class
from tests.tiers import sample, selected

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux")

CORPUS = submissions()
CHOSEN = {"ch8-4-pt-tokenizes-in-collate", "ch8-4-pt-russian-cp1251"}
RUBRIC = "format = 1\nepochs = {epochs}\nmargin = 0.1\n"
QUICK = 0.15
"""Epochs of a training in these classes: the checkpoint learns quickly."""
SLOW = {"ch8-4-pt-class-own-model-russian": 0.5}
"""Those that are given the grader's own number: a new head at a low rate learns more slowly."""


def _class_of(submission: HonestSubmission) -> tuple[str, str, float]:
    return submission.lesson, submission.framework, SLOW.get(submission.id, QUICK)


@pytest.fixture(scope="module")
def graded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Everything handed in, a class for each lesson and length; the grades by submission."""
    chosen: list[HonestSubmission] = selected(request, "submission")
    found: dict[str, Any] = {}
    for name, framework, epochs in dict.fromkeys(map(_class_of, chosen)):
        place = tmp_path_factory.mktemp(f"{name}-{framework}")
        # The names of what is several things at once are too long for a student's.
        some = {
            f"h{n:03}": each
            for n, each in enumerate(chosen)
            if _class_of(each) == (name, framework, epochs)
        }
        rows = [(student, each.id, "en") for student, each in some.items()]
        (place / "rubric.toml").write_text(RUBRIC.format(epochs=epochs))
        make_class(place, name, rows, "--fw", framework)
        for student, each in some.items():
            folder = Path(place / "submissions" / student)
            folder.mkdir(parents=True)
            (folder / each.name).write_bytes(each.content)
        grades = grade_class(place, "--rubric", str(place / "rubric.toml"), timeout=30_000)
        found |= {some[student].id: grade for student, grade in grades.items()}
    return found


@pytest.mark.parametrize(
    "submission", sample(CORPUS, lambda _n, each: each.id in CHOSEN), ids=lambda s: s.id
)
def test_honest_work_gets_full_marks(graded: dict[str, Any], submission: HonestSubmission) -> None:
    grade = graded[submission.id]
    told = json.dumps(grade, indent=1, ensure_ascii=False)
    assert grade["score"] == grade["max_score"], told
    assert grade["status"] == "graded", told
    for bug in grade["bugs"]:
        assert bug["reason"]["text"], told
        if bug["how"] == "answers":
            assert bug["reason"]["asked"], told
