"""Lessons that are kept outside: found, told apart, translated, and their authors' to mend."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from course import cli
from course.authoring import lesson_check, translations
from course.base import i18n, paths, shelves
from course.base.errors import ContentError, UserError
from course.base.i18n import _
from course.lesson import catalogue, lesson
from tests.command import ROOT, course
from tests.lesson.tiny import FAULT, LESSON

PO = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"

msgid "Names in {id}"
msgstr "{title}"

msgid "A name is cut"
msgstr "{fault}"
"""


def put(folder: Path, name: str = "own-names", fault: str = "names-cut") -> Path:
    """Write a lesson and a fault on a shelf."""
    (folder / name / "pt").mkdir(parents=True)
    (folder / name / "lesson.toml").write_text(LESSON.format(id=name), "utf-8")
    (folder / name / "pt" / "exercise.py").write_text("# %% [markdown]\n# Words\n# %%\nwords = 1\n")
    (folder / "faults").mkdir(exist_ok=True)
    (folder / "faults" / f"{fault}.toml").write_text(FAULT.format(id=fault), "utf-8")
    return folder


def translate(shelf: Path, language: str, title: str, fault: str) -> Path:
    file = shelf / "locales" / language / "course.po"
    file.parent.mkdir(parents=True)
    file.write_text(PO.format(id="own-names", title=title, fault=fault), "utf-8")
    return file


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No catalogue, no package and no texts of another test's."""
    catalogue.catalogue.cache_clear()
    shelves._installed.cache_clear()
    yield
    monkeypatch.undo()
    catalogue.catalogue.cache_clear()
    shelves._installed.cache_clear()
    assert shelves.found() == []


@pytest.fixture
def name_them(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def name_them(*folders: Path) -> None:
        monkeypatch.setenv("COURSE_LESSONS", os.pathsep.join(map(str, folders)))

    return name_them


@pytest.fixture
def shelf(tmp_path: Path, name_them: Callable[..., None]) -> Path:
    folder = put(tmp_path / "shelf")
    name_them(folder)
    return folder


def test_lessons_kept_elsewhere_come_after_ours(shelf: Path) -> None:
    ours = sorted(p.parent.name for p in paths.lessons().glob("*/lesson.toml"))
    assert lesson.ids() == [*ours, "own-names"]
    part = lesson.load("own-names").parts["pt"]
    assert part.path == shelf / "own-names" / "pt" / "exercise.py"
    assert part.text(()).endswith("words = 9\n")
    lesson_check.review(lesson.load("own-names"))
    assert lesson_check.uncatalogued(part) == {}


def test_faults_of_ones_own_are_in_the_catalogue_only_while_the_shelf_is_named(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert catalogue.catalogue()["names-cut"].title == "A name is cut"
    assert catalogue.entry("names-cut") == shelf / "faults" / "names-cut.toml"
    assert catalogue.entry("no-such", shelf) == shelf / "faults" / "no-such.toml"
    monkeypatch.delenv("COURSE_LESSONS")
    catalogue.catalogue.cache_clear()
    assert "names-cut" not in catalogue.catalogue()
    assert "own-names" not in lesson.ids()


def test_a_folder_that_is_named_twice_is_one(
    shelf: Path, tmp_path: Path, name_them: Callable[..., None]
) -> None:
    (tmp_path / "same").symlink_to(shelf)
    name_them(shelf, tmp_path / "same", paths.lessons(), shelf)
    assert shelves.found() == [shelves.Shelf(shelf)]
    assert lesson.ids().count("own-names") == 1


@pytest.mark.parametrize("other", ["ch8-4", "own-names"])
def test_two_lessons_with_one_id_are_told_with_both_places(
    other: str, shelf: Path, tmp_path: Path, name_them: Callable[..., None]
) -> None:
    second = put(tmp_path / "second", other, "another-fault")
    name_them(shelf, second)
    first = (paths.lessons() if other == "ch8-4" else shelf) / other / "lesson.toml"
    with pytest.raises(UserError) as told:
        lesson.ids()
    assert str(told.value) == (
        f"`{other}` exists twice: `{first}` and `{second / other / 'lesson.toml'}`. "
        "Rename one of them."
    )


@pytest.mark.parametrize("other", ["nan-loss", "names-cut"])
def test_two_faults_with_one_id_too(
    other: str, shelf: Path, tmp_path: Path, name_them: Callable[..., None]
) -> None:
    if other == "nan-loss":
        other = catalogue.ids()[0]
    name_them(shelf, put(tmp_path / "second", "own-second", other))
    with pytest.raises(UserError, match=f"^`{other}` exists twice: `.*` and `.*second"):
        catalogue.catalogue()


def guarded(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    status = cli._guarded(list(words))
    return status, capsys.readouterr().err.splitlines()


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    for name in ("COURSE_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("quiet")
def test_a_shelf_that_is_not_one_is_a_sentence(
    shelf: Path, name_them: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    name_them(shelf / "none")
    said = f"Error: `COURSE_LESSONS`: There is no folder `{shelf / 'none'}`. Create it first."
    assert guarded(capsys, "list") == (2, [said])
    name_them(shelf / "own-names")
    status, (line,) = guarded(capsys, "run", "own-names")
    assert status == 2
    assert line.endswith(f"but that is a lesson. Use the parent folder `{shelf}`.")


@pytest.mark.usefixtures("quiet")
def test_a_mistake_on_a_shelf_is_its_authors_to_mend_in_a_wheel_too(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "is_checkout", lambda: False)
    file = shelf / "own-names" / "lesson.toml"
    file.write_text(file.read_text("utf-8").replace("title", "titel"), "utf-8")
    status, (line,) = guarded(capsys, "list")
    assert status == 2
    assert line == f"Error: `{file}`: unknown key `titel`. Did you mean `title`?"


def test_an_id_that_no_header_could_hold_is_told(shelf: Path) -> None:
    put(shelf, "Two Words", "more-names")
    with pytest.raises(
        ContentError, match=r"`Two Words` cannot be the id of a lesson\. Use small letters"
    ):
        lesson_check.review(lesson.load("Two Words"))


def install(site: Path, module: str = "own_lessons", promised: str = "") -> Path:
    """An installed package with lessons, which must not be imported for them; their folder."""
    package = site.joinpath(*module.split("."))
    put(package)
    (site / "own_lessons" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    info = site / "own_lessons-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-lessons\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[course.lessons]\nnames = {promised or module}\n")
    return package


@pytest.mark.parametrize("module", ["own_lessons", "own_lessons.within"])
def test_an_installed_package_brings_its_lessons(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name_them: Callable[..., None]
) -> None:
    package = install(tmp_path / "site", module)
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert shelves.found() == [shelves.Shelf(package, "own-lessons")]
    assert lesson.load("own-names").parts["pt"].path.is_relative_to(package)
    assert "own_lessons" not in sys.modules
    # Its author has it in a checkout, too.
    name_them(package)
    assert shelves.found() == [shelves.Shelf(package)]


def test_a_package_that_promises_what_it_has_not_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", promised="own_lesons")
    monkeypatch.syspath_prepend(tmp_path / "site")
    with pytest.raises(UserError, match=r"^`own-lessons` says .*`own_lesons`"):
        lesson.ids()


def test_its_texts_are_in_the_learners_language(shelf: Path) -> None:
    translate(shelf, "ru", "Имена", "Имя обрезано")
    translate(shelf, "zh", "人名", "名字被截断")
    translate(shelf, "en", "The names", "Cut")
    found = lesson.load("own-names")
    fault = catalogue.catalogue()["names-cut"]
    for language, title, cut in (
        ("ru", "Имена", "Имя обрезано"),
        ("zh", "人名", "名字被截断"),
        ("en", "The names", "Cut"),
    ):
        i18n.activate(language)
        assert (_(found.title), _(fault.title), _(found.summary)) == (title, cut, "Find the names.")
        assert i18n.translator(language)(found.title) == title
    # What we have ourselves is not looked for elsewhere.
    i18n.activate("ru")
    assert _("Rename one of them, please.") == "Rename one of them, please."
    assert _("script") != "script"


def test_translations_that_cannot_be_read_are_told_once(shelf: Path) -> None:
    file = translate(shelf, "ru", "Имена", "Имя обрезано")
    file.write_text(file.read_text("utf-8") + "\nno such line\n", "utf-8")
    found = lesson.load("own-names")
    i18n.activate("ru")
    with pytest.raises(ContentError, match=str(file)):
        _(found.title)
    assert _(found.title) == "Names in own-names"


@pytest.mark.usefixtures("quiet")
def test_texts_are_gathered_on_the_shelf_and_ours_are_left(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "is_checkout", lambda: False)
    status, lines = guarded(capsys, "dev", "texts")
    texts = {str(m.id) for m in translations.gather_shelf(shelves.Shelf(shelf)) if m.id}
    assert {"Names in own-names", "A name is cut", "It reads one word.", "Words"} < texts
    # As many as are in the files, and as the check tells.
    *missing, whole = lines
    assert (status, len(missing)) == (1, 2 * len(texts))
    assert whole.startswith(f"{len(texts)} texts are not translated")
    assert len(lesson_check.texts(lesson.load("own-names"))) == 2 * len(texts)
    for language in ("zh", "ru"):
        file = shelf / "locales" / language / "course.po"
        assert "#: own-names/lesson.toml" in file.read_text("utf-8")
        file.write_text(file.read_text("utf-8").replace('msgstr ""\n\n', 'msgstr "Я"\n\n'))
    status, lines = guarded(capsys, "dev", "texts")
    assert len(lines) < len(texts)
    monkeypatch.delenv("COURSE_LESSONS")
    status, (line,) = guarded(capsys, "dev", "texts")
    assert status == 2
    assert line.endswith("Set `COURSE_LESSONS` to a folder for lessons.")


@pytest.mark.usefixtures("quiet")
def test_a_new_lesson_goes_onto_the_first_shelf_from_a_wheel_too(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name_them: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(paths, "is_checkout", lambda: False)
    name_them(tmp_path / "not" / "yet")
    assert cli._guarded(["dev", "new-lesson", "own-first"]) == 0
    file = tmp_path / "not" / "yet" / "own-first" / "lesson.toml"
    assert capsys.readouterr().out.splitlines()[0] == str(file)
    assert lesson.folder("own-first") == file.parent
    # Nor may it have the id of one that there is, wherever that lies.
    status, (line,) = guarded(capsys, "dev", "new-lesson", "ch8-4")
    assert status == 2
    assert "ch8-4` already exists" in line


@pytest.mark.live
def test_the_commands_take_such_a_lesson(shelf: Path, tmp_path: Path) -> None:
    translate(shelf, "ru", "Имена", "Имя обрезано")
    named = {"COURSE_LESSONS": str(shelf), "COURSE_STATE": str(tmp_path / "state")}
    told = json.loads(course("list", "--json", "--lang", "ru", **named).stdout)["lessons"]
    assert {each["lesson"]: each["folder"] for each in told}["ch8-4"] is None
    assert (told[-1]["title"], told[-1]["folder"]) == ("Имена", str(shelf / "own-names"))
    listed = course("list", **named).stdout
    assert str(shelf / "own-names") in listed.replace("\n", "").replace("  ", "")
    page = course("explain", "names-cut", "--lang", "ru", **named)
    assert "Имя обрезано" in page.stdout
    assert "course run own-names --step names-cut" in page.stdout
    made = course("start", "own-names", "mine", cwd=tmp_path, PYTHONPATH=str(ROOT), **named)
    assert made.returncode == 0, made.stderr
    (copy,) = (tmp_path / "mine").glob("*.py")
    assert copy.read_text("utf-8").startswith("# course: own-names pt format=2")
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,lang\n1,Анна,ru\n", "utf-8")
    words = ("--students", roster, "--out", tmp_path / "class", "--db", tmp_path / "marks.db")
    handed = course("class", "make", "own-names", *map(str, words), **named)
    assert handed.returncode == 0, handed.stderr
    assert [p.name for p in (tmp_path / "class" / "1").glob("*.py")] == ["own-names-pt.py"]


def test_a_shelf_written_in_another_language_is_translated_from_it(shelf: Path) -> None:
    (shelf / "shelf.toml").write_text('format = 1\nlanguage = "ru"\n', "utf-8")
    translations.update_shelf(shelves.Shelf(shelf))
    assert sorted(p.parent.name for p in (shelf / "locales").glob("*/course.po")) == ["en", "zh"]
    found = translations.check_shelf(shelves.Shelf(shelf))
    assert {finding.language for finding in found} == {"en", "zh"}
    shutil.rmtree(shelf / "locales")
    translate(shelf, "en", "The names", "Cut")
    i18n.activate("en")
    assert _(lesson.load("own-names").title) == "The names"
    i18n.activate("ru")
    assert _(lesson.load("own-names").title) == "Names in own-names"


@pytest.mark.parametrize("text", ['language = "fr"', 'lang = "ru"', "language = 1"])
def test_a_wrong_language_of_a_shelf_is_told(shelf: Path, text: str) -> None:
    (shelf / "shelf.toml").write_text(f"format = 1\n{text}\n", "utf-8")
    with pytest.raises(UserError, match=r"shelf\.toml"):
        translations.update_shelf(shelves.Shelf(shelf))
