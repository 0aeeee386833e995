"""The page of a large class: `python benchmarks/report.py [--students N] [--lang L] [--keep DIR]`.

Makes a gradebook of a class, 1,000 unless told otherwise (exercises drawn and handed out by our own
code, a quarter of them in Chinese, a quarter in Russian; submissions that mend some of the bugs,
every second one with lines of its own; grades as the grader writes them, made up here), writes the
page as `course class report` does, and opens it in Chromium from a file, three times, in a browser
that has not seen it. Prints how long the page took to write and to open (until its `load` event,
and until the first picture of it; beside that what the browser's main thread took of the processor,
which a busy machine does not change), its size, and what is wider than the screen at 360 pixels:
the class, and a student's page.
"""

import argparse
import random
import shutil
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from course.base import i18n
from course.grading.collect.submission import Submission
from course.grading.distribute import exercises
from course.grading.distribute.assignment import Assignment, Student
from course.grading.distribute.exercises import DistributedExercise
from course.grading.grade import BugGrade, Grade, GradeNote, Healthy
from course.grading.gradebook.gradebook import Gradebook
from course.grading.gradebook.records import ResultKey
from course.grading.report import class_results, feedback
from course.grading.report.code import view
from course.grading.report.page import page
from course.lesson import lesson
from course.lesson.lesson import Part

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
LANGS = ("en", "zh", "en", "ru")
OPENED = 3
FIRST_PAINT = """
new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))
"""
LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"
WIDE = """[document.documentElement.scrollWidth,
 [...document.querySelectorAll('body *')].filter((e) =>
   e.checkVisibility({opacityProperty: true}) && e.getBoundingClientRect().right > innerWidth + 1 &&
   !e.closest('.symbols, .unseen')).length]"""


def main() -> None:
    """Make, write, open, print."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    asked.add_argument("--students", type=int, default=1000)
    asked.add_argument("--lang", default="en", choices=("en", "zh", "ru"))
    asked.add_argument("--keep", type=Path)
    arguments = asked.parse_args()
    i18n.activate(arguments.lang)
    with tempfile.TemporaryDirectory() as made:
        folder = arguments.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "gradebook.db"
        path.unlink(missing_ok=True)
        fill(path, lesson.load("ch8-4").parts["pt"], arguments.students)
        start = time.process_time()
        with Gradebook.open(path, readonly=True) as book:
            contents = book.counted_contents(view.SHOWN)
            register = class_results.of(book.standings(), book.sessions(), contents)
        text = page.page(register)
        took = time.process_time() - start
        (folder / "class.html").write_text(text, "utf-8")
        print(f"{arguments.students} students, in {arguments.lang}")
        print(f"written in     {took:6.1f} CPU s, {len(text.encode()) / 1e6:.1f} MB")
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            show(browser, (folder / "class.html").as_uri())
            browser.close()


def show(browser: Browser, address: str) -> None:
    """Open the page and print what was measured."""
    loads, paints, busy = [], [], []
    for _round in range(OPENED):
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        metrics = opened.context.new_cdp_session(opened)
        metrics.send("Performance.enable")
        opened.goto(address)
        paints.append(opened.evaluate(FIRST_PAINT) / 1000)
        loads.append(opened.evaluate(LOADED) / 1000)
        found = metrics.send("Performance.getMetrics")["metrics"]
        busy += [each["value"] for each in found if each["name"] == "ThreadTime"]
        opened.close()
    print(f"loaded in      {statistics.median(loads):6.2f} s (most {max(loads):.2f} s)")
    print(f"first shown in {statistics.median(paints):6.2f} s (most {max(paints):.2f} s)")
    print(
        f"of which       {statistics.median(busy):6.2f} s of the processor (most {max(busy):.2f} s)"
    )
    phone = browser.new_page(viewport={"width": 360, "height": 640}, has_touch=True)
    phone.goto(address)
    wide, out = phone.evaluate(WIDE)
    print(f"at 360 px      the class is {wide} px wide, {out} elements beyond the edge")
    phone.evaluate("location.hash = document.querySelector('.sheet:has(.code ins)').id")
    wide, out = phone.evaluate(WIDE)
    print(f"               a student's page is {wide} px wide, {out} elements beyond the edge")
    phone.close()


def fill(path: Path, part: Part, many: int) -> None:
    """Make the gradebook of a class of that many students."""
    draw = random.Random(many)
    students = [Student(f"s{n:04d}", f"Student {n}", LANGS[n % 4]) for n in range(many)]
    given = exercises.make(part, students, seed=7).exercises
    with Gradebook.open(path, create=True) as book:
        book.add_class(students, [each.assignment for each in given])
        session = book.start_session({"unsafe": False, "rubric": {"bug": 1.0}})
        for each in given:
            if draw.random() > 0.03:
                enter(book, session, part, each, draw)
        book.end_session(session)


def enter(
    book: Gradebook, session: int, part: Part, each: DistributedExercise, draw: random.Random
) -> None:
    """Enter a submission that mends some of the bugs, and its grade."""
    exercise = each.assignment
    gone = set(draw.sample(exercise.bugs, draw.randint(0, len(exercise.bugs))))
    left = tuple(b for b in part.known if b.fault in exercise.bugs and b.fault not in gone)
    with feedback.speaking(exercise.lang):
        mended = exercises.file_text(part, left, "script")
    text = "".join([each.text.splitlines(True)[0], *mended.splitlines(True)[1:]])
    if draw.random() < 0.5:
        own = [f"print({n}, 'seen so far')  # {exercise.student}\n" for n in range(6)]
        text = text.replace("trainer.train()", "".join(own) + "trainer.train()")
    came = Submission(
        *(exercise.student, exercise.lesson, exercise.framework, text.encode()),
        *("script.py", START + timedelta(minutes=draw.randint(0, 9999)), draw.random() < 0.05),
    )
    key = ResultKey(*_given(exercise), came.digest, exercise.digest, "rubric", "runtime")
    book.keep([came])
    book.count(key, came.submitted)
    book.record(key, graded(exercise, gone, draw), session=session)


def graded(exercise: Assignment, gone: set[str], draw: random.Random) -> Grade:
    """Make up a grade as the grader would give it; one in twenty is uncertain."""
    bugs = tuple(
        BugGrade(bug, True, "answers", 1.0, 1.0, {"asked": "rows", "answered": "[[101, 7]]"})
        if bug in gone
        else BugGrade(bug, False, "raised", 0.0, 1.0)
        for bug in exercise.bugs
    )
    reached = len(gone) == len(exercise.bugs)
    healthy = Healthy(reached, float(reached), 1.0, 0.8 if reached else None, 0.35, 0.2, 400, 1.0)
    notes = (GradeNote("tampering", {"line": 20, "what": "sys.modules"}),)
    given = _given(exercise)
    return Grade(
        *given, "graded", bugs, healthy, (), notes if draw.random() < 0.05 else (),
        12.3, 8.0, {"torch": "2.13.0"},
    )  # fmt: skip


def _given(exercise: Assignment) -> tuple[str, str, str]:
    return exercise.student, exercise.lesson, exercise.framework


if __name__ == "__main__":
    main()
