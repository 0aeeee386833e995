"""Made-up classes for the reports: students in all states there are, without a grader."""

import csv
import io
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from course.grading.distribute.assignment import Assignment, Student
from course.grading.grade import BugGrade, Grade, GradeNote, GradeStatus, Healthy, How, NewFault
from course.grading.report import csv_safe
from course.grading.report.class_results import Register
from course.grading.student_result import GradedSubmission, Override, StudentResult

BUGS = ("missing-input-ids", "length-mismatch", "target-out-of-bounds", "size-1-array")
START = datetime(2025, 3, 3, 8, 30, tzinfo=UTC)
EVIL = '</script><script>alert("1 & 2")</script> \x00\x1b[31m\x0b \ufffe --> {{title}} `x`'
NAMES = (
    *("王小明", "Анна Иванова", "Ada Lovelace", "李娜", "Мария-Антуанетта Константинопольская"),
    *("محمد بن سلمان", "O'Brien, Séan", '=HYPERLINK("x")', "<script>alert(1)</script>"),
    *("👩🏽‍💻 Zoë", "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaft", "张伟"),
)
LANGS = ("zh", "ru", "en")


def student(n: int, name: str | None = None, lang: str | None = None) -> Student:
    return Student(f"s{n:02d}", name or NAMES[n % len(NAMES)], lang or LANGS[n % 3])


def assignment(
    who: Student, bugs: Sequence[str] = BUGS, lesson: str = "ch8-4", framework: str = "pt"
) -> Assignment:
    return Assignment(who.id, lesson, framework, tuple(bugs), who.lang, 7, "0" * 64)


def grade(
    who: Student,
    gone: Sequence[str] = (),
    bugs: Sequence[str] = BUGS,
    status: GradeStatus = "graded",
    how: How = "wrong-answer",
    accuracy: float | None = None,
    notes: tuple[GradeNote, ...] = (),
    new_faults: tuple[NewFault, ...] = (),
    **more: object,
) -> Grade:
    """Make a grade where these bugs are gone; healthy at an accuracy over 0.55."""
    found = tuple(
        BugGrade(b, True, "answers", 1.0, 1.0) if b in gone else BugGrade(b, False, how, 0.0, 1.0)
        for b in bugs
    )
    reached = accuracy is not None and accuracy > 0.55
    outcome = Healthy(reached, float(reached), 1.0, accuracy, 0.35, 0.2, 400, 1.0)
    made = Grade(
        who.id,
        "ch8-4",
        "pt",
        status,
        found,
        outcome,
        new_faults,
        notes,
        12.34,
        versions={"torch": "2.13.0", "transformers": "5.23.0"},
    )
    return replace(made, **more)  # type: ignore[arg-type]


def attempt(
    given: Grade | None, hours: float = 1, late: bool = False, kept: bool = False
) -> GradedSubmission:
    came = START + timedelta(hours=hours)
    graded = START + timedelta(days=7) if given else None
    return GradedSubmission(f"{hours:064}", came, late, graded, given, kept)


def standing(
    who: Student, given: Grade | None = None, came: bool = True, **more: object
) -> StudentResult:
    made = StudentResult(who, assignment(who), attempt(given) if came else None)
    return replace(made, **more)  # type: ignore[arg-type]


def twelve() -> tuple[StudentResult, ...]:
    """Each state once: all degrees, ways around, limits, refusals, our failure, the teacher."""
    who = [student(n) for n in range(12)]
    healthy = grade(who[0], BUGS, accuracy=0.81)
    first = attempt(grade(who[0], BUGS[:1]), 0.5, kept=True)
    second = attempt(grade(who[0], BUGS[:3]), 20, kept=True)
    tampering = GradeNote("tampering", {"line": 12, "what": "sys.modules"})
    below = GradeNote("below-baseline", {"epochs": 1, "accuracy": 0.34, "baseline": 0.35})
    broken = NewFault(None, "NameError", "name 'tokeniser' is not defined", 17)
    return (
        standing(who[0], attempt=attempt(healthy, 30), history=(first, second)),
        standing(who[1], grade(who[1], BUGS, accuracy=0.34, notes=(below,))),
        standing(who[2], grade(who[2], BUGS[:2], how="raised")),
        standing(who[3], grade(who[3], (), how="not-reached", new_faults=(broken,))),
        standing(who[4], attempt=attempt(grade(who[4], BUGS[1:]), 50, late=True)),
        standing(who[5], came=False),
        standing(who[6], grade(who[6], BUGS[:3], notes=(tampering,))),
        standing(
            who[7],
            grade(
                who[7],
                BUGS[:1],
                status="time-limit",
                how="not-reached",
                notes=(GradeNote("time-limit", {"seconds": 20}),),
            ),
        ),
        standing(who[8], Grade(who[8].id, "ch8-4", "pt", "refused")),
        standing(who[9], Grade(who[9].id, "ch8-4", "pt", "internal-error")),
        standing(
            who[10],
            grade(who[10], BUGS[:2], how="withheld"),
            override=Override(4.5, "=explained it `to me` <b>", "Chen & Co", START),
        ),
        standing(who[11], None),
    )


def crowd(n: int, seed: int = 1) -> tuple[StudentResult, ...]:
    """Draw a class of `n`: most are stopped by the second bug."""
    draw = random.Random(seed)
    found = list(twelve())
    for number in range(len(found), n):
        who = student(number, f"{NAMES[number % len(NAMES)][:30]} {number}")
        depth = draw.choices(range(-1, 6), (1, 2, 6, 3, 2, 3, 5))[0]
        if depth < 0:
            found.append(standing(who, came=False))
            continue
        accuracy = {4: 0.36, 5: 0.6 + draw.random() / 3}.get(depth)
        last = grade(who, BUGS[:depth], accuracy=accuracy, seconds=draw.uniform(0.3, 20))
        tries = draw.choice((0, 0, 1, 2, 4))
        history = tuple(
            attempt(grade(who, BUGS[: max(0, depth - 1)]), t + draw.random(), kept=True)
            for t in range(tries)
        )
        late = draw.random() < 0.1
        found.append(
            standing(who, attempt=attempt(last, 30 + draw.random(), late), history=history)
        )
    return tuple(found[:n])


def rows(table: str) -> list[dict[str, str]]:
    """Read a table as another program does."""
    return list(csv.DictReader(io.StringIO(table.removeprefix(csv_safe.BOM), newline="")))


def register(standings: Sequence[StudentResult] | None = None, unsafe: bool = False) -> Register:
    return Register(twelve() if standings is None else tuple(standings), unsafe)
