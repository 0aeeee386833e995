"""The lesson that an author begins with; `tests/live/test_new_lesson.py` proves that it holds."""

import re
from pathlib import Path

import pytest

from course.authoring import lesson_check, template, translations
from course.base import i18n, paths, shelves
from course.base.errors import UserError
from course.lesson import lesson as reader
from course.runs import supplies
from tests.authoring import made

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


@pytest.fixture
def shelf(lessons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name a folder of an author's own, which is not there yet."""
    monkeypatch.setenv(shelves.VARIABLE, str(tmp_path / "own"))
    # The languages are those that ship.
    monkeypatch.setattr(paths, "data", made.SHIPPED.parent.absolute)
    return tmp_path / "own"


@pytest.mark.parametrize("lang", ["zh", "ru"])
@pytest.mark.parametrize(("kind", "framework"), EACH)
def test_an_author_gets_a_lesson_in_the_authors_language(
    shelf: Path, kind: str, framework: str, lang: str
) -> None:
    i18n.activate(lang)
    files = template.make("ch3-5", framework, kind)
    assert f'language = "{lang}"' in (shelf / "shelf.toml").read_text("utf-8")
    letters = re.compile("[\u4e00-\u9fff]" if lang == "zh" else "[а-яё]")
    lesson_check.review(reader.load("ch3-5"))
    for message in translations.gather_shelf(shelves.found()[0]):
        assert not message.id or letters.search(str(message.id)), message.id
    for path in files:
        for line in path.read_text("utf-8").splitlines():
            code, mark, comment = line.partition("# ")
            is_prose = mark and re.search("[a-z]{2} [a-z]{2}", comment) and '"' not in comment
            assert not is_prose or letters.search(comment) or code.strip("# "), line
    # What others in that folder begin is in its language, whatever theirs is.
    i18n.activate("en")
    assert letters.search(template.make("ch3-6", framework, kind)[0].read_text("utf-8"))


def test_in_a_folder_of_english_lessons_a_new_one_is_english(shelf: Path) -> None:
    template.make("ch3-5", "pt")
    i18n.activate("ru")
    assert "A bug:" in template.make("ch3-6", "pt")[0].read_text("utf-8")
    assert not (shelf / "shelf.toml").exists()


@pytest.mark.parametrize("lang", ["zh", "ru"])
def test_each_text_of_the_templates_is_used(lang: str) -> None:
    root = paths.lessons() / "template"
    whole = "".join(p.read_text("utf-8") for p in root.glob("*/*/**/*.txt") if p.is_file())
    texts = template._texts(lang)
    assert [ours for ours, _theirs in texts if ours not in whole] == []
    assert len(texts) == len(template._texts("ru")) > 50


@pytest.mark.live
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
        with pytest.raises(UserError, match=f"`lessons/{name}` already exists"):
            template.make(name, framework)
    assert own.read_text() == "mine"


def test_an_installed_package_sends_the_author_to_a_folder_of_their_own(
    lessons: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "is_checkout", lambda: False)
    with pytest.raises(UserError, match="to a folder for lessons"):
        template.make("ch3-5", template.frameworks()[0])
    assert not (lessons / "ch3-5").exists()
