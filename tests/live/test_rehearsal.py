"""A class of 120 as a teacher would run it, from the roster to the reports.

Twenty-four ways of handing in, five students each, with two bugs of their own and three points to
get. What each way is worth was written down (`WAYS`) before anything was graded. They come in two
rounds: Moodle's archive before the deadline, and a folder with what came after it.
"""

import csv
import io
import json
import os
import signal
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from course.exercise import patch
from course.lesson import lesson
from tests.command import course
from tests.live.classes import interrupt

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux"),
]

FILE = "ch8-4-pt.py"
BUGS = {bug.fault: bug for bug in lesson.load("ch8-4").parts["pt"].bugs}
NAMES = {
    "zh": ("王芳", "李 伟", "欧阳娜娜", "张三", "刘洋"),
    "ru": ("Иванов, Пётр", "Ёлкина «Ася»", "О'Нил Юрий", "Щукин Глеб", "Чё-Жук Эля"),
    "en": ("Ann O'Neil", "Zoë <b>", "=cmd()", "Bob Tables", "Ng Pak"),
}
COMMENTS = {"zh": "# 我改了这里\n", "ru": "# Здесь исправлено\n", "en": "# Mended here\n"}
CODE_PAGES = {"zh": "gb18030", "ru": "cp1251", "en": "cp1252"}
DEADLINE = "2026-11-20 23:59"
COPIES = 5
"""Students who hand in alike."""
IMPORT = "import evaluate\n"
TRAIN = "trainer.train()"


@dataclass
class Script:
    """The exercise of one student, to be changed and handed in."""

    text: str
    drawn: tuple[str, ...]
    lang: str

    def mended(self, count: int = 2) -> str:
        """Return the text without the first bugs that were drawn."""
        text = self.text
        for fault in self.drawn[:count]:
            text = patch.take_out(text, BUGS[fault])
        return text

    def with_first(self, line: str, count: int = 2) -> str:
        """Return the same with a line of the student's own after the imports."""
        text = self.mended(count)
        assert text.count(IMPORT) == 1
        return text.replace(IMPORT, IMPORT + line)


@dataclass(frozen=True)
class Way:
    """A way of handing in: the files, its mark as a careful teacher gives it, and why.

    `later` is what comes in the second round, `when` its time. A mark of None is none at all.
    """

    name: str
    mark: float | None
    why: str
    make: Callable[[Script], dict[str, bytes]] = lambda s: {}
    later: Callable[[Script], str] | None = None
    when: str = "2026-11-21 12:00"
    extended: str | None = None


def script(change: Callable[[Script], str]) -> Callable[[Script], dict[str, bytes]]:
    """Make a way with one file of the right name."""
    return lambda s: {FILE: change(s).encode()}


def zipped(name: str, text: str) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        archive.writestr(name, text)
    return found.getvalue()


def notebook(text: str) -> bytes:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    document = {"cells": [{**cell, "source": text}], "metadata": {}}
    return json.dumps({**document, "nbformat": 4, "nbformat_minor": 4}).encode()


WAYS = (
    Way("untouched", 0, "nothing is mended", script(lambda s: s.text)),
    Way("one", 1, "one bug of two", script(lambda s: s.mended(1))),
    Way("both", 3, "as the lesson mends it", script(lambda s: s.mended())),
    Way(
        "comments",
        3,
        "comments in one's own language, and prints",
        script(lambda s: COMMENTS[s.lang] + s.with_first(f"print({COMMENTS[s.lang]!r})\n")),
    ),
    Way(
        "windows",
        3,
        "an editor of Windows: CRLF and a byte order mark",
        lambda s: {FILE: b"\xef\xbb\xbf" + s.mended().replace("\n", "\r\n").encode()},
    ),
    Way("utf-16", 3, "saved as Unicode", lambda s: {FILE: s.mended().encode("utf-16")}),
    Way(
        "code-page",
        3,
        "saved in the code page of the country, with a comment",
        lambda s: {FILE: (COMMENTS[s.lang] + s.mended()).encode(CODE_PAGES[s.lang])},
    ),
    Way(
        "old-name",
        3,
        "an argument that the library has renamed",
        script(lambda s: s.mended().replace("eval_strategy=", "evaluation_strategy=")),
    ),
    Way(
        "shell",
        3,
        "looks for a GPU and installs what is there",
        script(
            lambda s: s.with_first(
                "import os\nimport subprocess\n"
                'subprocess.run("nvidia-smi", shell=True, check=False)\n'
                'os.system("pip install evaluate")\n'
            )
        ),
    ),
    Way(
        "thread",
        3,
        "a clock in a thread of its own",
        script(
            lambda s: s.with_first(
                "import threading\nthreading.Timer(0.1, lambda: print('running')).start()\n"
            )
        ),
    ),
    Way("notebook", 3, "a notebook came back", lambda s: {"ch8-4-pt.ipynb": notebook(s.mended())}),
    Way("zip", 3, "a zip of it", lambda s: {"ch8-4-pt.zip": zipped(FILE, s.mended())}),
    Way(
        "renamed",
        3,
        "under another name; the teacher says whose it is",
        lambda s: {"homework.py": s.mended().encode()},
    ),
    Way(
        "docx", None, "a text document: nothing to be graded", lambda s: {"ch8-4.docx": b"PK\3\4x"}
    ),
    Way("absent", None, "nothing was handed in"),
    Way("syntax", 0, "no Python, and no bug is out", script(lambda s: s.text + "\n(")),
    Way("empty", 0, "an empty file", lambda s: {FILE: b""}),
    Way(
        "endless",
        0,
        "never gets to the exercise",
        script(lambda s: s.with_first("while True: pass\n", 0)),
    ),
    Way(
        "swallowed",
        0,
        "hides the exception, mends nothing",
        script(lambda s: s.text.replace(TRAIN, f"try:\n    {TRAIN}\nexcept Exception:\n    pass")),
    ),
    Way(
        "forged",
        0,
        "claims an accuracy, mends nothing",
        script(lambda s: s.text.replace(TRAIN, "print({'eval_accuracy': 1.0})")),
    ),
    Way("late", 2.7, "right, a day late: a tenth off", later=Script.mended),
    Way(
        "very-late",
        1.5,
        "right, ten days late: a half off at the most",
        later=Script.mended,
        when="2026-11-30 12:00",
    ),
    Way(
        "extended",
        3,
        "right, in time by the student's own date",
        later=Script.mended,
        when="2026-11-22 12:00",
        extended="2026-11-23",
    ),
    Way(
        "double",
        3,
        "right in time; what came later, and wrong, replaces nothing",
        script(lambda s: s.mended()),
        later=lambda s: s.text,
    ),
)


@dataclass(frozen=True)
class Rehearsal:
    """The class on disk, and what each student has done."""

    place: Path
    ways: dict[str, Way]

    @property
    def book(self) -> str:
        return str(self.place / "gradebook.db")

    def grade(self, source: str, *more: str) -> list[str]:
        rubric = str(self.place / "rubric.toml")
        words = ["class", "grade", str(self.place / source), "--db", self.book]
        return [*words, "--rubric", rubric, "--deadline", DEADLINE, "--json", *more]

    def students(self, *ways: str) -> list[str]:
        return [student for student, way in self.ways.items() if way.name in ways]

    def marks(self) -> dict[str, float | None]:
        done = course("class", "report", self.book, "--format", "csv")
        assert done.returncode == 0, done.stderr
        rows = csv.DictReader(io.StringIO(done.stdout.removeprefix("\ufeff")))
        return {row["id"]: float(row["score"]) if row["score"] else None for row in rows}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Rehearsal:
    """Make the roster, the exercises handed out, and what came back in both rounds."""
    place = tmp_path_factory.mktemp("rehearsal")
    langs = tuple(NAMES)
    ways, rows, names = {}, [], {}
    for number in range(len(WAYS) * COPIES):
        student, lang = f"s{number:03}", langs[number % 3]
        ways[student] = WAYS[number % len(WAYS)]
        names[student] = NAMES[lang][number // len(WAYS)]
        rows.append([student, names[student], lang, str(7000 + number)])
    with (place / "roster.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=";").writerows([["id", "name", "lang", "moodle"], *rows])
    done = course(
        "class", "make", "ch8-4", "--students", str(place / "roster.csv"), "--seed", "5",
        "--bugs", "2", "--out", str(place / "out"), "--db", str(place / "gradebook.db"), "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(place / "moodle.zip", "w") as archive:
        for each in json.loads(done.stdout)["students"]:
            student, text = each["student"], Path(each["path"]).read_text("utf-8")
            way, given = ways[student], Script(text, tuple(each["bugs"]), each["lang"])
            number = 7000 + int(student[1:])
            folder = f"{names[student].replace('_', ' ')}_{number}_assignsubmission_file_"
            for name, content in way.make(given).items():
                archive.writestr(f"{folder}/{name}", content)
            if way.later is not None:
                path = place / "later" / student / FILE
                path.parent.mkdir(parents=True)
                path.write_text(way.later(given), "utf-8")
                moment = datetime.fromisoformat(way.when).timestamp()
                os.utime(path, (moment, moment))
    extensions = "".join(f'{s} = "{w.extended}"\n' for s, w in ways.items() if w.extended)
    (place / "rubric.toml").write_text(
        "format = 1\nepochs = 0.15\n[late]\nper_day = 0.1\nmost = 0.5\n"
        f"[extensions]\n{extensions}[limits]\nseconds = 25\n"
    )
    return Rehearsal(place, ways)


@pytest.fixture(scope="module")
def graded(made: Rehearsal) -> dict[str, Any]:
    """Grade both rounds; Ctrl-C and a crash interrupt the first, a teacher says whose files are."""
    seen = 0
    for share, stroke in ((0.2, signal.SIGINT), (0.5, signal.SIGKILL)):
        least = share * len(made.ways)
        found, status = interrupt(made.grade("moodle.zip"), made.book, least, stroke)
        assert status == (130 if stroke == signal.SIGINT else -signal.SIGKILL)
        seen = max(seen, found)
    done = course(*made.grade("moodle.zip"), timeout=7200)
    assert done.returncode == 0, done.stdout + done.stderr
    first = json.loads(done.stdout)
    assert first["known"] >= seen, "a result was lost"
    unread = {each["student"]: each["source"] for each in first["unread"]}
    assert sorted(unread) == made.students("renamed", "docx")
    whose = "".join(f"{unread[s]},{s},ch8-4-pt\n" for s in made.students("renamed"))
    (made.place / "whose.csv").write_text("source,id,exercise\n" + whose, "utf-8")
    done = course(*made.grade("moodle.zip", "--map", str(made.place / "whose.csv")), timeout=7200)
    assert done.returncode == 0, done.stdout + done.stderr
    done = course(*made.grade("later"), timeout=7200)
    assert done.returncode == 0, done.stdout + done.stderr
    second: dict[str, Any] = json.loads(done.stdout)
    return second


def test_every_mark_is_the_one_written_down(made: Rehearsal, graded: dict[str, Any]) -> None:
    found = made.marks()
    wrong = {
        student: (way.name, found[student], way.mark)
        for student, way in made.ways.items()
        if found[student] != (pytest.approx(way.mark) if way.mark is not None else None)
    }
    assert not wrong
    assert len(found) == len(WAYS) * COPIES


def test_what_came_too_late_is_said(made: Rehearsal, graded: dict[str, Any]) -> None:
    assert len(graded["late"]) == len(made.students("double"))
