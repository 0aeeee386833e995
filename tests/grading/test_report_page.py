"""The report `html` as it is assembled, without a browser."""

import hashlib
import re
from dataclasses import replace
from typing import Any

import pytest

from course.authoring import translations
from course.base import i18n
from course.grading.grade import GradeNote, NewFault
from course.grading.report import class_results, doubts, folder
from course.grading.report.page import overview, page
from course.lesson.catalogue import catalogue
from course.render.html import TEMPLATES
from tests.grading import report_class as made
from tests.subtitles.browser import reader
from tests.subtitles.browser.reader import Element, Reader

LETTERS = re.compile(r"[A-Za-zА-Яа-я\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements of drawings end by themselves, too."""
    monkeypatch.setattr(reader, "VOID", reader.VOID | {"rect", "use", "circle"})


def sheet(read: Reader, name: str) -> Element:
    (found,) = [e for e in read.find("section", class_="sheet") if f" {name} " in f" {_kicker(e)} "]
    return found


def _kicker(element: Element) -> str:
    return next(
        c.whole for c in element.content if isinstance(c, Element) and c.name == "p"
    ).replace("·", " ")


def test_the_page_asks_for_nothing_from_anywhere_and_has_no_programs_in_attributes() -> None:
    read = Reader(page.page(made.register()))
    for element in read.all:
        for name, value in element.attributes.items():
            assert name != "style"
            assert not name.startswith("on")
            if name in ("src", "href", "action", "srcset", "poster"):
                assert value.startswith(("#", "data:"))


def test_the_programs_can_stand_in_a_page() -> None:
    for name in ("style.css", "report.css", "report.js"):
        text = (TEMPLATES / name).read_text("utf-8")
        assert not re.search(r"</?script|</style|<!--", text, re.IGNORECASE), name
        assert not re.search(r"\beval\b|innerHTML|insertAdjacent|document\.write", text)


@pytest.mark.parametrize("one", [True, False])
def test_whatever_students_are_called_and_write_is_text(one: bool) -> None:
    who = replace(made.student(2, made.EVIL), id="x & <y>")
    grade = made.grade(
        who,
        new_faults=(made.NewFault(None, "Error", made.EVIL, 3), made.NewFault("<no such>")),
        versions={made.EVIL: made.EVIL},
    )
    own = made.Override(1, made.EVIL, made.EVIL, made.START)
    register = replace(made.register([made.standing(who, grade, override=own)]), rubric=made.EVIL)
    text = page.page(register)
    if one:
        text = page.student_page(register.standings[0], register.groups[0], register)
    read = Reader(text)
    assert len(read.find("script")) == 1
    assert 'alert("1 & 2")' in read.one("h1", id="s1-name").whole
    assert "{{title}}" in read.one("h1", id="s1-name").whole
    assert not re.search("[\x00\x0b\x1b\ufffe]", text)
    text.encode()


def test_everybody_stands_where_the_first_bug_is_that_is_left() -> None:
    (group,) = made.register().groups
    found = {stop.place: [s.student.id for s in stop.standings] for stop in overview.stops(group)}
    nowhere = ["missing", "waiting", "unexamined", "early"]
    assert list(found) == [*made.BUGS, "training", "healthy", *nowhere]
    assert found == {
        "missing-input-ids": ["s04"],
        "length-mismatch": ["s07"],
        "target-out-of-bounds": ["s02", "s10"],
        "size-1-array": ["s06"],
        "training": ["s01"],
        "healthy": ["s00"],
        "missing": ["s05"],
        "waiting": ["s09", "s11"],
        "unexamined": ["s08"],
        "early": ["s03"],
    }


@pytest.mark.parametrize(
    ("place", "more"),
    [
        ("syntax", {"notes": (GradeNote("syntax", {"line": 3}),)}),
        ("early", {"new_faults": (NewFault(None, "NameError", "x"),)}),
        (made.BUGS[0], {}),
        (made.BUGS[1], {"gone": made.BUGS[:1], "notes": (GradeNote("syntax", {"line": 3}),)}),
    ],
)
def test_what_ended_before_any_bug_was_looked_for_has_a_place_of_its_own(
    place: str, more: dict[str, Any]
) -> None:
    who = made.student(0)
    grade = made.grade(who, how="not-reached", **more)
    assert class_results.place(made.standing(who, grade)) == place


def test_scripts_that_end_before_any_bug_are_named_before_the_fault_that_stops_most() -> None:
    broken = {"how": "not-reached", "notes": (GradeNote("syntax", {"line": 3}),)}
    made_of = [broken, broken, {}]
    standings = []
    for number, more in enumerate(made_of):
        who = made.student(number)
        standings.append(made.standing(who, made.grade(who, **more)))
    (group,) = made.register(standings).groups
    assert overview.hardest(group) == (
        "2 of 3 students have a script that ends before any bug can be tested. Look at such "
        "scripts first."
    )
    (other,) = made.register(standings[1:]).groups
    assert "The fault that stops the most students" in overview.hardest(other)


def test_in_an_exam_a_first_line_that_is_gone_makes_a_mark_uncertain() -> None:
    who = made.student(0)
    gone = made.standing(who, made.grade(who, notes=(GradeNote("no-exam-header"),)))
    register = made.register([gone])
    (found,) = doubts.uncertain(register.groups[0], register)
    assert found[1][0].kind == "header"


def test_an_empty_file_is_called_one() -> None:
    who = made.student(0)
    found = made.standing(who, made.grade(who, how="missing"))
    assert found.attempt is not None
    digest = hashlib.sha256(b"").hexdigest()
    empty = replace(found, attempt=replace(found.attempt, digest=digest))
    assert class_results.place(empty) == "empty"


def test_the_map_shows_each_student_once_and_marks_the_fault_that_stops_most() -> None:
    read = Reader(page.page(made.register(made.crowd(60))))
    chips = [e for e in read.find("a") if "title" in e.attributes]
    assert len(chips) == 60
    assert {e.attributes["href"] for e in chips} == {f"#s{n}" for n in range(1, 61)}
    (worst,) = [e for e in read.find("li") if "worst" in e.attributes.get("class", "").split()]
    title = catalogue()["length-mismatch"].title
    assert title in worst.whole
    (said,) = read.find("p", class_="finding")
    assert title in said.whole
    n = len([e for e in chips if "worst" in _around(e)])
    assert f"{n} of 60 students" in said.whole


def _around(element: Element) -> set[str]:
    """Return the classes of everything around an element."""
    above = _around(element.parent) if element.parent else set()
    return above | set(element.attributes.get("class", "").split())


def test_without_anybody_at_a_fault_the_map_says_so() -> None:
    who = made.student(0)
    healthy = made.standing(who, made.grade(who, made.BUGS, accuracy=0.9))
    assert "No student is stopped by one of the faults." in page.page(made.register([healthy]))
    nobody = made.register([made.standing(who, came=False)])
    assert "Nothing handed in" in page.page(nobody)
    assert "no student in this gradebook yet" in page.page(made.register([]))


def test_the_figures_are_those_of_the_class() -> None:
    mended, marks, took = overview.cards(made.register().groups[0])
    assert [row.figure for row in mended.rows] == [f"{n} of 8" for n in (6, 6, 4, 3, 1)]
    assert {row.label.removesuffix(" of 5"): row.figure for row in marks.rows} == {
        **{"5": "1", "4.5": "1", "4": "1", "3": "2", "2": "1", "1": "1", "0": "1"},
    }
    assert [row.figure for row in took.rows] == ["10", "0", "1"]
    assert took.below == (
        "Time from the first submission to the last: 1 day 5 hr (median), 1 day 5 hr at most.",
        "Time to examine one submission: 12.3 sec (median), 12.3 sec at most. Time to examine all "
        "submissions: 98.7 sec.",
    )


def test_marks_out_of_many_points_are_counted_by_tenths() -> None:
    who = [made.student(n) for n in range(3)]
    grades = [made.grade(w, made.BUGS[:n], accuracy=None) for n, w in enumerate(who)]
    big = [
        replace(g, bugs=tuple(replace(b, points=10.0 * b.points, of=10.0) for b in g.bugs))
        for g in grades
    ]
    (group,) = made.register([made.standing(w, g) for w, g in zip(who, big, strict=True)]).groups
    rows = overview.cards(group)[1].rows
    assert len(rows) == 10
    shown = {row.label: row.figure for row in rows if row.figure != "0"}
    assert shown == dict.fromkeys(("0% – 10%", "20% – 30%", "40% – 50%"), "1")


def test_what_is_graded_anew_is_not_handed_in_anew() -> None:
    who = made.student(0)
    now = made.attempt(made.grade(who))
    again = replace(now, kept=True, graded=made.START)
    standing = made.standing(who, attempt=now, history=(again,))
    assert class_results.handed_in(standing) == 1
    assert class_results.worked(standing) is None
    assert len(class_results.attempts(standing)) == 2


@pytest.mark.parametrize("language", ["en", "zh", "ru"])
def test_the_teacher_reads_one_language_and_each_student_the_own_one(language: str) -> None:
    i18n.activate(language)
    tags = {"zh": "zh-Hans", "en": "en", "ru": "ru"}
    titles = {
        lang: i18n.translator(lang)(catalogue()["length-mismatch"].title) for lang in made.LANGS
    }
    files = {names: Reader(text) for names, text in folder.pages(made.register()).items()}
    mixed = files["class.html",]
    assert {e.attributes["lang"] for e in mixed.all if "lang" in e.attributes} == {tags[language]}
    for n in (0, 1, 2):
        assert titles[language] in sheet(mixed, f"s{n:02d}").whole
        own, lang = files[f"s{n:02d}", "ch8-4-pt.html"], made.LANGS[n]
        assert own.one("html").attributes["lang"] == tags[lang]
        assert titles[lang] in own.one("main").whole
    assert i18n.language() == language


def test_a_students_page_tells_what_was_found_and_not_what_is_for_the_teacher() -> None:
    files = {names: Reader(text) for names, text in folder.pages(made.register()).items()}
    read = files["class.html",]
    assert "81%" in sheet(read, "s00").whole
    assert len([e for e in read.find("tr") if "s00" in _sheet_of(e)]) == 4
    assert "name 'tokeniser' is not defined" in sheet(read, "s03").whole
    for said in ("4.5", "Chen & Co", "=explained it to me <b>"):
        assert said in sheet(read, "s10").whole
    assert "sys.modules" in sheet(read, "s06").whole
    assert "sys.modules" not in files["s06", "ch8-4-pt.html"].one("main").whole
    assert "sys.modules" in read.one("section", class_="part look-first").whole


def _sheet_of(element: Element) -> str:
    if element.attributes.get("class") == "sheet":
        return _kicker(element)
    return _sheet_of(element.parent) if element.parent else ""


def test_a_student_who_handed_in_nothing_is_not_told_the_bugs() -> None:
    found = sheet(Reader(page.page(made.register())), "s05").whole
    assert "Nothing handed in" in found
    assert catalogue()["length-mismatch"].title not in found


def test_a_page_by_itself_knows_no_other_student() -> None:
    register = made.register()
    files = folder.pages(register)
    assert set(files) == {
        ("class.html",),
        *((f"s{n:02d}", "ch8-4-pt.html") for n in range(12)),
    }
    alone = files["s01", "ch8-4-pt.html"]
    read = Reader(alone)
    assert read.one("html").attributes["lang"] == "ru"
    assert [e.whole for e in read.find("h1")] == ["Анна Иванова"]
    for other in made.NAMES[:1] + made.NAMES[2:]:
        assert other not in read.one("main").whole


def test_grading_without_a_sandbox_is_told_on_every_page() -> None:
    assert "--unsafe" not in page.page(made.register())
    files = folder.pages(made.register(unsafe=True))
    assert all("--unsafe" in text for text in files.values())


def test_each_of_several_exercises_has_its_own_map() -> None:
    who = made.student(2)
    other = made.assignment(who, framework="tf")
    unknown = made.assignment(who, ("no-such-fault",), lesson="ch99")
    register = made.register(
        [
            made.standing(who, made.grade(who)),
            made.standing(who, made.grade(who), assignment=other),
            made.standing(who, None, came=False, assignment=unknown),
        ]
    )
    read = Reader(page.page(register))
    assert len([e for e in read.find("section") if "map" in e.attributes["class"]]) == 3
    assert len(read.find("section", class_="sheet")) == 3
    ids = [e.attributes["id"] for e in read.all if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    assert "no-such-fault" in read.one("main").whole


@pytest.mark.live
@pytest.mark.parametrize("language", ["en", "zh", "ru"])
def test_a_class_of_three_hundred_is_a_page_that_opens_fast(language: str) -> None:
    i18n.activate(language)
    assert len(page.page(made.register(made.crowd(300))).encode()) < 1_500_000


def test_the_script_holds_no_words_of_its_own() -> None:
    script = re.sub(r"//.*|/\*.*\*/", "", (TEMPLATES / "report.js").read_text("utf-8"))
    assert not re.search(r'textContent = "[^"]', script)


def test_every_word_of_the_page_is_translated() -> None:
    """In the made-up language a plain letter is one that was never marked."""
    i18n.activate(i18n.PSEUDO)
    who = replace(made.student(0, "…"), id="0", lang=i18n.PSEUDO)
    standings = [replace(s, student=who) for s in made.crowd(40)]
    read = Reader(page.page(made.register(standings, unsafe=True)))
    kept = {"style", "script", "code", "title"}
    own = r"ch8-4 \((pt|tf)\)|2\.13\.0|5\.23\.0|torch|transformers|NameError|UTC"
    own += r"|name 'tokeniser' is not defined|sys\.modules|Chen & Co|=explained it|<b>"
    for element in read.all:
        if element.around & kept:
            continue
        spoken = ("title", "aria-label", "placeholder", "data-said")
        for text in (element.text, *(element.attributes.get(n, "") for n in spoken)):
            bare = re.sub(own, "", re.sub(r"\{\w+\}", "", text))
            assert not LETTERS.search(bare), (element.name, text)


@pytest.mark.live
def test_every_word_of_the_page_reaches_the_translators(asked: set[object]) -> None:
    page.page(made.register(made.crowd(40), unsafe=True))
    known = {message.id for message in translations.gather()}
    assert {m for m in asked if m not in known} == set()
