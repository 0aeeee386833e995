"""What every submission would map anew is mapped once, in the real sandbox with real libraries."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from course.grading.engine import adaptations, map_cache
from course.grading.reference import dataset
from course.lesson import lesson
from course.runs.environment import runtime
from course.runs.sandbox.bubblewrap import JobLimits, JobMailbox, Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux")

PART = lesson.load("ch8-4").parts["pt"]
LOOK = """
import os
for name, split in tokenized.items():
    print(name, os.path.islink(split.cache_files[0]["filename"]), sum(split[0]["input_ids"]))
trainer.train()"""


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    exam = PART.exam
    assert exam is not None
    found = runtime.find("pt", PART.requires)
    place = tmp_path_factory.mktemp("drawn")
    dataset.draw(PART, exam, found, "seed", place / "drawn")
    with Sandbox(found, PART.imports, place / "drawn" / "hub") as made:
        yield made


def mapped(box: Sandbox, text: str) -> dict[str, tuple[bool, int]]:
    """By split, whether what a script has mapped was there already; the sum of its first ids."""

    def heard(event: dict[str, Any], desk: JobMailbox) -> None:
        if event["event"] == "ready":
            desk.put("questions.json", [])
        elif event["event"] == "answered":
            desk.put("then.json", {"do": "leave"})

    script = text.replace("\ntrainer.train()", LOOK).encode()
    done = box.run(script, "ch8-4-pt.py", JobLimits(), heard, adapts=adaptations.of(PART))
    found = re.findall(r"^(\w+) (True|False) (\d+)$", done.output, re.MULTILINE)
    assert len(found) == 5, done
    return {name: (known == "True", int(ids)) for name, known, ids in found}


def test_the_lessons_own_map_is_made_once_and_any_other_anew(box: Sandbox) -> None:
    exam, text = PART.exam, PART.text(())
    assert exam is not None
    before = mapped(box, text)
    assert {known for known, _ids in before.values()} == {False}
    map_cache.fill(box, PART, exam)
    after = mapped(box, text)
    assert {known for known, _ids in after.values()} == {True}
    assert {n: ids for n, (_known, ids) in after.items()} == {
        n: ids for n, (_known, ids) in before.items()
    }
    shorter = mapped(box, text.replace("truncation=True", "truncation=True, max_length=9"))
    assert {known for known, _ids in shorter.values()} == {False}
    assert shorter["train"][1] < before["train"][1]


def test_what_was_kept_is_for_everybody_to_read_and_all_else_is_gone(box: Sandbox) -> None:
    exam = PART.exam
    assert exam is not None
    map_cache.fill(box, PART, exam)
    kept = list(box.home.rglob("cache-*.arrow"))
    assert kept
    assert all(file.stat().st_mode & 0o777 == 0o644 for file in kept)
    jobs: Path = box._jobs
    assert [each.name for each in jobs.iterdir() if each.is_dir()] == []
