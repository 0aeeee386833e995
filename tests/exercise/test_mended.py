"""The learner's own change beside the lesson's fix, once a bug is mended."""

from dataclasses import replace
from pathlib import Path

import pytest

from course.base import i18n
from course.exercise import mended, practice, progress, working_copy
from course.exercise.mended import MendedBug
from course.lesson import lesson
from course.lesson.lesson import Part
from course.notebook import make

PART = lesson.load("ch8-4").parts["pt"]
PARTS = [p for n in lesson.ids() for p in lesson.load(n).parts.values()]


def found(path: Path, *behind: str) -> tuple[MendedBug, ...]:
    copy = working_copy.read(path)
    return mended.mended(copy, replace(progress.of(copy), behind=behind))


def edited(path: Path, *changes: tuple[str, str]) -> Path:
    text = path.read_text()
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text)
    return path


def added(diff: str) -> list[str]:
    return [line[1:].strip() for line in diff.splitlines()[2:] if line[0] == "+"]


@pytest.mark.parametrize("form", ["script", "notebook"])
@pytest.mark.parametrize("part", PARTS, ids=lambda p: f"{p.lesson}-{p.framework}")
def test_our_own_fix_is_the_same_change(tmp_path: Path, part: Part, form: str) -> None:
    """In any language, in either form: the prose is not compared."""
    i18n.activate("zh")
    if form == "script":
        path = working_copy.start(part, part.bugs, tmp_path)
    else:
        path = tmp_path / make.file_name(part)
        path.write_text(make.text(part, part.bugs))
    for bug in part.bugs:
        copy = working_copy.read(path)
        assert practice.apply(copy, practice.fix(copy, bug))
    faults = [bug.fault for bug in part.bugs]
    for each in found(path, *faults):
        assert each.own == each.official
        assert added(each.official)
        assert not [line for line in added(each.official) if line.startswith("#")]


def test_nothing_is_told_of_a_bug_that_is_not_behind(tmp_path: Path) -> None:
    path = working_copy.start(PART, PART.bugs, tmp_path)
    assert found(path) == ()
    assert [m.bug.fault for m in found(path, "length-mismatch")] == ["length-mismatch"]


def test_the_learners_own_way_stands_by_itself(tmp_path: Path) -> None:
    path = edited(
        working_copy.start(PART, PART.bugs[:3], tmp_path),
        ('train_dataset=raw["train"]', 'train_dataset=tokenized["train"]'),
        ('eval_dataset=raw["validation_matched"]', 'eval_dataset=tokenized["validation_matched"]'),
        (
            "from_pretrained(checkpoint)\n\nargs",
            "from_pretrained(checkpoint, id2label=NAMES)\n\nargs",
        ),
        ("# # ", "# my own note\n# # "),
    )
    first, third = found(path, "missing-input-ids", "target-out-of-bounds")
    assert first.own == first.official
    assert added(third.own) == [
        "model = AutoModelForSequenceClassification.from_pretrained(checkpoint, id2label=NAMES)"
    ]
    assert "num_labels=3" in third.official


def test_a_bug_that_is_mended_elsewhere_shows_what_belongs_to_no_other(tmp_path: Path) -> None:
    path = edited(
        working_copy.start(PART, PART.bugs[2:], tmp_path),
        ("args = Training", "model.resize_head(3)\nargs = Training"),
        ("predictions=logits,", "predictions=logits.argmax(-1),"),
    )
    (third,) = found(path, "target-out-of-bounds")
    assert added(third.own) == ["model.resize_head(3)"]


def test_a_text_that_was_reset_has_no_change(tmp_path: Path) -> None:
    path = working_copy.start(PART, PART.bugs, tmp_path)
    assert [m.own for m in found(path, "length-mismatch")] == [""]
