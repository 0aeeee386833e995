"""The lesson that an author begins with; `tests/live/test_new_lesson.py` proves that it holds."""

from pathlib import Path

import pytest

from course.authoring import lesson_check, template, translations
from course.base import paths
from course.base.errors import UserError
from course.lesson import lesson as reader
from course.runs import supplies

EACH = [(kind, framework) for kind in template.kinds() for framework in template.frameworks(kind)]


@pytest.mark.parametrize(("kind", "framework"), EACH)
def test_a_new_lesson_is_whole(lessons: Path, kind: str, framework: str) -> None:
    own, script, *others = template.make("ch3-5", framework, kind)
    assert own == lessons / "ch3-5" / "lesson.toml"
    assert script == lessons / "ch3-5" / framework / "exercise.py"
    brought = supplies.found()
    assert bool(others) == bool(brought) == (kind != template.USUAL)
    assert all("ch3-5" in name for name in (*brought.data, *brought.recipes()))
    assert not any(template.PLACE in path.read_text("utf-8") for path in (own, script, *others))
    made = reader.load("ch3-5")
    assert list(made.parts) == [framework]
    lesson_check.review(made)
    part = made.parts[framework]
    assert lesson_check.uncatalogued(part) == {}
    assert len(part.bugs) == 1
    assert all(part.looks_at(step.id) for step in part.steps)
    if kind == template.USUAL:
        assert part.online.outcome.examples > part.outcome.examples
    for place in brought.data.values():
        (splits,) = supplies.configurations(place).values()
        rows = {split: file.read_text("utf-8").splitlines() for split, file in splits.items()}
        assert len(rows["train"]) == part.outcome.examples
        assert len(rows["validation"]) == part.outcome.eval_examples
        # What is in both, or there twice, would count once.
        assert len({*rows["train"], *rows["validation"]}) == sum(map(len, rows.values()))


@pytest.mark.parametrize(("kind", "framework"), EACH)
def test_each_key_is_explained(lessons: Path, kind: str, framework: str) -> None:
    text = template.make("ch3-5", framework, kind)[0].read_text("utf-8")
    for word in ("id", "title", "script", "requires", "imports", "outcome", "margin", "fault"):
        assert any(word in line.partition("#")[2] for line in text.splitlines()) or word in text
    assert text.count("#") > 20


def test_the_template_is_no_lesson_and_nobody_translates_it() -> None:
    assert "template" not in reader.ids()
    (files := {name for m in translations.gather() for name, _line in m.locations})
    assert files
    assert not [name for name in files if "template/" in str(name)]


@pytest.mark.parametrize(
    "name", ["Ch 3", "../x", "", "ch3_5", "-ch3", "ch3-", "Ch3", "урок", "ch3\n", "a/b", "."]
)
def test_an_id_that_is_none_is_refused(lessons: Path, name: str) -> None:
    before = sorted(lessons.rglob("*"))
    with pytest.raises(UserError, match="cannot be the id of a lesson"):
        template.make(name, template.frameworks()[0])
    assert sorted(lessons.rglob("*")) == before


def test_nothing_is_written_over(lessons: Path) -> None:
    framework = template.frameworks()[0]
    own = template.make("ch3-5", framework)[0]
    own.write_text("mine")
    for name in ("ch3-5", "faults", "template"):
        with pytest.raises(UserError, match=f"`lessons/{name}` exists already"):
            template.make(name, framework)
    assert own.read_text() == "mine"


def test_an_installed_package_sends_the_author_to_a_folder_of_their_own(
    lessons: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "is_checkout", lambda: False)
    with pytest.raises(UserError, match="name a folder"):
        template.make("ch3-5", template.frameworks()[0])
    assert not (lessons / "ch3-5").exists()
