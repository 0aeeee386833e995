"""`course class make` for notebooks, and for nbgrader."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from course.base import i18n
from course.base.errors import UserError
from course.grading import deadline
from course.grading.deadline import LateRule
from course.grading.engine import class_grading
from course.grading.gradebook.gradebook import Gradebook
from tests import documents
from tests.command import inside


def make(lesson: str, students: Path, out: Path, db: Path, **more: object) -> None:
    inside("class", "make", lesson, students=students, out=out, db=db, **more)


@pytest.fixture
def roster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("roster.csv")
    path.write_text("id,name,lang\nann,Ann,en\n王小明,王小明,zh\n", "utf-8")
    return path


def files() -> list[str]:
    return sorted(p.as_posix() for p in Path("out").rglob("*") if p.is_file())


def test_notebooks_land_in_the_students_folders_and_the_gradebook_knows(
    roster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make("ch8-4", roster, Path("out"), Path("b.db"), seed=3, notebooks=True, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert files() == [
        "out/ann/ch8-4-pt.ipynb",
        "out/instructions.en.md",
        "out/instructions.zh.md",
        "out/王小明/ch8-4-pt.ipynb",
    ]
    assert (told["form"], told["seed"]) == ("notebook", 3)
    assert [Path(each["path"]).is_file() for each in told["students"]] == [True, True]
    with Gradebook.open(Path("b.db")) as book:
        given = book.assignments()
    assert [(a.form, list(a.bugs)) for a in given] == [
        ("notebook", each["bugs"]) for each in told["students"]
    ]


def built(
    name: str = "nlp_course_companion-0.1.0-py3-none-any.whl", inside: str = "course/__init__.py"
) -> Path:
    """Make a file that passes for a wheel."""
    with zipfile.ZipFile(name, "w") as archive:
        archive.writestr(inside, "")
    return Path(name)


@pytest.mark.parametrize("nbgrader", [False, True])
def test_a_wheel_lies_beside_each_notebook_and_both_sides_are_told(
    roster: Path, capsys: pytest.CaptureFixture[str], nbgrader: bool
) -> None:
    wheel = built()
    make(
        "ch8-4", roster, Path("out"), Path("b.db"),
        notebooks=True, nbgrader=nbgrader, wheel=wheel, as_json=True,
    )  # fmt: skip
    told = json.loads(capsys.readouterr().out)
    documents.validator("class-make").validate(told)
    assert told["wheel"] == wheel.name
    for each in told["students"]:
        beside = Path(each["path"]).with_name(wheel.name)
        assert beside.read_bytes() == wheel.read_bytes()
        # This is where the first cell looks.
        assert 'glob(\\"nlp_course_companion-*.whl\\")' in Path(each["path"]).read_text("utf-8")
    for page in told["instructions"]:
        assert f"`{wheel.name}`" in Path(page).read_text("utf-8")


def test_without_a_wheel_the_teacher_is_told_what_the_first_cell_looks_for(
    roster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make("ch8-4", roster, Path("out"), Path("b.db"), notebooks=True)
    assert "Keep `nlp_course_companion-*.whl` beside the notebook" in capsys.readouterr().out
    assert "whl" not in Path("out", "instructions.en.md").read_text("utf-8")


def test_what_is_no_wheel_of_ours_is_not_handed_out(roster: Path) -> None:
    Path("nlp_course_companion-1.whl").write_bytes(b"no zip")
    for wheel in (
        Path("nowhere.whl"), Path("nlp_course_companion-1.whl"), built("numpy-1-py3-none-any.whl"),
        built("nlp_course_companion-2.whl", "other/__init__.py"),
    ):  # fmt: skip
        with pytest.raises(UserError, match="is not a wheel of"):
            make("ch8-4", roster, Path("out"), Path("b.db"), notebooks=True, wheel=wheel)
    with pytest.raises(UserError, match="--notebooks"):
        make("ch8-4", roster, Path("out"), Path("b.db"), wheel=built())
    assert not Path("out").exists()
    assert not Path("b.db").exists()


def test_a_class_of_scripts_has_no_notebooks_in_the_same_gradebook(roster: Path) -> None:
    make("ch8-4", roster, Path("out"), Path("b.db"))
    with pytest.raises(UserError, match="Use the same form, seed"):
        make("ch8-4", roster, Path("other"), Path("b.db"), notebooks=True)
    assert sorted(os.listdir()) == ["b.db", "out", "roster.csv"]


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_nbgraders_notebook_lies_where_it_looks_and_the_next_steps_are_told(
    roster: Path, capsys: pytest.CaptureFixture[str], lang: str
) -> None:
    i18n.activate(lang)
    Path("out").mkdir()
    Path("out", "nbgrader_config.py").write_text("c = get_config()\n")
    make("ch8-4", roster, Path("out"), Path("b.db"), nbgrader=True)
    assert files() == [
        "out/nbgrader_config.py",
        "out/source/ch8-4-pt/ch8-4-pt.ipynb",
        "out/source/ch8-4-pt/instructions.en.md",
        "out/source/ch8-4-pt/instructions.zh.md",
    ]
    told = " ".join(capsys.readouterr().out.split())
    for words in (
        "`out/source/ch8-4-pt/ch8-4-pt.ipynb`",
        "`nbgrader generate_assignment ch8-4-pt`",
        "`course class grade out/submitted --db b.db`",
    ):
        assert words.replace(" ", "") in told.replace(" ", "")
    text = Path("out", "source", "ch8-4-pt", "ch8-4-pt.ipynb").read_text("utf-8")
    assert f"lang={lang} " in text


@pytest.mark.parametrize("db", ["out/gradebook.db", "./out/../out/gradebook.db"])
def test_ours_does_not_take_the_place_of_nbgraders_gradebook(roster: Path, db: str) -> None:
    with pytest.raises(UserError, match=r"own gradebook\. Use another name for our gradebook"):
        make("ch8-4", roster, Path("out"), Path(db), nbgrader=True)
    assert os.listdir() == ["roster.csv"]
    make("ch8-4", roster, Path("out"), Path("gradebook.db"), nbgrader=True)
    assert Path("gradebook.db").is_file()


def test_a_group_draws_the_same_bugs_and_the_instructions_name_its_members(
    roster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["ann,Ann,en,Team A", "王小明,王小明,zh,team  a", "bob,Bob,en,", "eve,Eve,ru,B"]
    roster.write_text("\n".join(["id,name,lang,group", *rows]), "utf-8")
    make("ch8-4", roster, Path("out"), Path("b.db"), seed=3, bugs=2, as_json=True)
    told = json.loads(capsys.readouterr().out)
    documents.validator("class-make").validate(told)
    assert [each["group"] for each in told["students"]] == ["Team A", "Team A", None, "B"]
    assert told["students"][0]["bugs"] == told["students"][1]["bugs"]
    assert "**Team A**: Ann" in Path("out", "instructions.en.md").read_text("utf-8")
    assert "王小明" in Path("out", "instructions.ru.md").read_text("utf-8")
    with Gradebook.open(Path("b.db")) as book:
        assert [each.team for each in book.students()] == ["Team A", "Team A", "", "B"]
    make("ch8-4", roster, Path("out"), Path("b.db"), seed=3, bugs=2)
    assert "2 groups" in capsys.readouterr().out


def test_a_roster_without_names_is_said_to_have_none(
    roster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make("ch8-4", roster, Path("out"), Path("b.db"), seed=3)
    assert "no names" not in capsys.readouterr().err
    roster.write_text("id,mail\nann,ann@a\nbob,bob@a\n", "utf-8")
    make("ch8-4", roster, Path("second"), Path("c.db"), seed=3)
    sentence = "`roster.csv` has no names, so reports show ids. For names, add a column `name`."
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_grading_keeps_to_the_deadline_and_the_rule_that_the_instructions_name(
    roster: Path,
) -> None:
    Path("rubric.toml").write_text(
        "format = 1\n[late]\nper_day = 0.25\n[extensions]\nann = 2026-12-09\n", "utf-8"
    )
    options = {"deadline": "2026-12-05 18:00", "rubric": "rubric.toml"}
    make("ch8-4", roster, Path("out"), Path("b.db"), **options)
    assert "25%" in Path("out", "instructions.en.md").read_text("utf-8")
    with Gradebook.open(Path("b.db")) as book:
        until, rule = class_grading.last_terms(book)
    assert until == deadline.read("2026-12-05 18:00")
    assert (rule.per_day, list(rule.extensions)) == (0.25, ["ann"])
    make("ch8-4", roster, Path("other"), Path("c.db"), program="Ask me.")
    assert "Ask me." in Path("other", "instructions.zh.md").read_text("utf-8")
    with Gradebook.open(Path("c.db")) as book:
        assert class_grading.last_terms(book) == (None, LateRule())
