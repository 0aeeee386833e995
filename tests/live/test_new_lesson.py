"""The author's path, without Python: a new lesson holds, and so do faults of one's own.

On a shelf of the author's, or in a copy of the checkout, whose own `course` is run.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from course.exercise import patch
from course.lesson import lesson
from course.lesson.bug import Bug
from tests.command import ROOT, course

CRASH = "columns-not-in-list"
SILENT = "cut-a-little"
BUG = '''
[[pt.bug]]
fault = "{fault}"
reason = "R"
edits = [
  {{ buggy = """{buggy}""", healthy = """{healthy}""" }},
]
'''
STEP = """
[[pt.step]]
id = "{fault}"
intro = "I"

[[pt.look]]
steps = ["{fault}"]
caption = "One batch through the model:"
code = "model(**next(iter(trainer.get_train_dataloader()))).loss"
"""
FAULT = """
format = 1
id = "{fault}"
stage = "data"
title = "T"
means = "M"
where = "W"
fix = "F"
"""
FIGURES = """
[[signature]]
wording = "later"
effect = {{ figure = "width", below = {width} }}
cause = {{ figure = "data.cut", above = 0 }}
shown = "The widest batch has {{width:.0f}} tokens."
example = "E"
seen = "S"
"""
MAP = "tokenized = raw.map(tokenize, batched=True)\n"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the parts of the checkout that lessons are made, run and translated with."""
    place = tmp_path_factory.mktemp("checkout")
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "course", place / "course", ignore=unwanted)
    shutil.copytree(ROOT / "course_probe", place / "course_probe", ignore=unwanted)
    shutil.copytree(ROOT / "locales", place / "locales")
    for name in ("faults", "template"):
        shutil.copytree(ROOT / "lessons" / name, place / "lessons" / name)
    for name in ("hub", "runtimes"):
        (place / "lessons" / name).symlink_to(ROOT / "lessons" / name)
    return place


def check(copy: Path, *arguments: str, **variables: str) -> tuple[int, dict[str, Any]]:
    done = course("dev", "check", *arguments, "--json", cwd=copy, **variables)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_a_new_lesson_holds_as_it_is_outside_of_the_checkout(tmp_path: Path) -> None:
    shelf = {"COURSE_LESSONS": str(tmp_path / "уроки")}
    made = course("dev", "new-lesson", "ch3-first", **shelf)
    assert made.returncode == 0, made.stderr
    status, document = check(ROOT, "ch3-first", **shelf)
    assert status == 0, document
    assert document["holds"] is True
    assert [run["observed"] for run in sorted(document["runs"], key=lambda r: len(r["bugs"]))] == [
        None,
        "missing-input-ids",
    ]
    assert {step["step"] for step in document["steps"]} == {"missing-input-ids", "healthy"}
    assert [look["error"] for step in document["steps"] for look in step["looks"]] == [None] * 3
    # Its texts are its author's own, so nobody has translated them yet.
    assert document["texts"]
    assert all("not" in finding for finding in document["texts"])
    walk = course("run", "ch3-first", "--yes", "--json", **shelf)
    assert walk.returncode == 0, walk.stdout


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["tokens", "generation"])
def test_a_lesson_brings_data_and_a_checkpoint_in_another_language(
    tmp_path: Path, kind: str
) -> None:
    """It holds, is walked through, and is graded in the sandbox, all without a network."""
    shelf = {"COURSE_LESSONS": str(tmp_path / "полка")}
    made = course("dev", "new-lesson", "own-names", "--kind", kind, **shelf)
    assert made.returncode == 0, made.stderr
    status, document = check(ROOT, "own-names", **shelf)
    assert (status, document["holds"]) == (0, True), document
    assert [look["error"] for step in document["steps"] for look in step["looks"]] == [None, None]
    (healthy,) = [run for run in document["runs"] if not run["bugs"]]
    # The answers to words are counted by us.
    assert healthy["figures"]["outcome.margin"] > 0.2
    assert healthy["figures"]["outcome.rows"] == 120

    (tmp_path / "roster.csv").write_text("id,name,lang\nright,A,ru\nleft,B,zh\n")
    made = course(
        "class", "make", "own-names", "--students", str(tmp_path / "roster.csv"),
        "--out", str(tmp_path / "out"), "--db", str(tmp_path / "book.db"), **shelf,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    (bug,) = lesson_of(tmp_path / "полка")
    copy = tmp_path / "out" / "right" / "own-names-pt.py"
    copy.write_text(patch.take_out(copy.read_text("utf-8"), bug), "utf-8")
    done = course(
        "class", "grade", str(tmp_path / "out"), "--db", str(tmp_path / "book.db"), "--json",
        **shelf,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    marks = {each["student"]: each["score"] for each in json.loads(done.stdout)["submissions"]}
    assert marks == {"right": 2.0, "left": 0.0}


def lesson_of(shelf: Path) -> tuple[Bug, ...]:
    """Return the bugs of the lesson on a shelf."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COURSE_LESSONS", str(shelf))
        return lesson.load("own-names").parts["pt"].bugs


@pytest.mark.exhaustive
def test_two_faults_of_ones_own_from_nothing_to_the_proof(copy: Path) -> None:
    """With a wrong signature and none at all on the way, each told so that it can be mended."""
    assert course("dev", "new-lesson", "ch3-own", cwd=copy).returncode == 0
    folder = copy / "lessons" / "ch3-own"
    script = folder / "pt" / "exercise.py"
    text = script.read_text("utf-8")
    sought = MAP + "tokenized.set_transform(lambda rows: [].index(len(rows)))\n"
    for old, new in (
        ('train_dataset=raw["train"]', 'train_dataset=tokenized["train"]'),
        ("truncation=True)", "truncation=True, max_length=40)"),
        (MAP, sought),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    script.write_text(text, "utf-8")
    text_of_lesson = (folder / "lesson.toml").read_text("utf-8")
    head, rest = text_of_lesson.split("[[pt.bug]]", 1)
    healthy = "[[pt.step]]" + rest.split("[[pt.step]]")[2].split("[[pt.look]]")[0]
    bugs = BUG.format(fault=CRASH, buggy=sought, healthy=MAP)
    bugs += BUG.format(
        fault=SILENT, buggy="truncation=True, max_length=40)", healthy="truncation=True)"
    )
    steps = STEP.format(fault=CRASH) + STEP.format(fault=SILENT)
    (folder / "lesson.toml").write_text(head + bugs + steps + healthy, "utf-8")

    # The catalogue knows neither: what they show is what the entries are made of.
    told = course("dev", "check", "ch3-own", cwd=copy)
    assert told.returncode == 1
    assert f"there is no `lessons/faults/{CRASH}.toml`" in told.stderr
    signature = told.stdout[told.stdout.index("[[signature]]") :].split("\n\n", 1)[0]
    entry = FAULT.format(fault=CRASH) + "\n".join(map(str.strip, signature.splitlines()))
    (copy / "lessons" / "faults" / f"{CRASH}.toml").write_text(entry, "utf-8")
    assert re.search(r"\bwidth +40 +\(74\)", told.stdout)

    # A bound on the wrong side of what was measured.
    silent = copy / "lessons" / "faults" / f"{SILENT}.toml"
    silent.write_text(FAULT.format(fault=SILENT) + FIGURES.format(width=30), "utf-8")
    status, document = check(copy, "ch3-own")
    assert (status, document["holds"]) == (1, False)
    (wrong,) = [run for run in document["runs"] if not run["holds"]]
    assert (wrong["bugs"], wrong["problem"]) == ([SILENT], "no-failure")
    assert wrong["figures"]["width"] == 40

    silent.write_text(FAULT.format(fault=SILENT) + FIGURES.format(width=50), "utf-8")
    status, document = check(copy, "ch3-own")
    assert (status, document["holds"]) == (0, True), document
    assert len(document["runs"]) == 4
    # The loss of a batch can't be had while the rows are missing, and can afterwards.
    errors = {step["step"]: [look["error"] for look in step["looks"]] for step in document["steps"]}
    assert errors[CRASH][0].startswith("ValueError: ")
    assert errors[SILENT] == [None]
