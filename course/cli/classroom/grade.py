"""`course class grade` and `course class regrade`: submissions in, marks in the gradebook."""

import contextlib
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from course.base import log
from course.base.errors import UserError
from course.base.i18n import N_, _, about, enumerate_words, ngettext, numbers
from course.base.schema import suggest_or_list
from course.cli.classroom import grade_json
from course.cli.classroom.options import (
    describe_target,
    expect_reason,
    gradebook_argument,
    rubric_option,
)
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, json_option
from course.grading import deadline as deadlines
from course.grading import note
from course.grading.collect import mapping as mappings
from course.grading.collect import team, unmatched
from course.grading.collect.asked import AskedQuestion
from course.grading.collect.collector import Collected, Target, target
from course.grading.collect.submission import Submission
from course.grading.distribute.assignment import Assignment
from course.grading.engine import class_grading, task
from course.grading.engine.class_grading import ClassGrading, GradingPlan, GradingProgress
from course.grading.grade import OURS
from course.grading.gradebook.gradebook import Gradebook
from course.grading.report import class_results, doubts, feedback
from course.grading.report.code import view
from course.grading.report.doubts import Doubt
from course.grading.report.page import labels
from course.grading.rubric import Rubric, read
from course.grading.student_result import StudentResult
from course.runs.sandbox import bubblewrap
from course.runs.sandbox.turns import AHEAD

jobs_option = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    metavar="N",
    help=N_("How many submissions to grade at once. If not given: one per core, at most eight."),
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help=N_("The Dask scheduler whose cluster does the grading.")
)
unsafe_option = click.option(
    "--unsafe",
    is_flag=True,
    help=N_(
        "Use no sandbox: submissions can do everything that you can do. Every report says this."
    ),
)
AT_ONCE = ("tampering", "text-stands", "own-account", "undecided")
"""Notes that a teacher wants to see at once."""
SOLUTION = ("lesson", "framework", "score", "max_score", "seconds", "training_seconds")
"""What is told of the grade that the lesson's own solution gets here, and of its cost."""
MOST = 8
"""Jobs at once, if nobody says how many: each may take a gigabyte."""


@click.argument(
    "submissions",
    type=PATH,
    metavar="SUBMISSIONS",
    help=N_("The folder or the archive with the submissions."),
)
@click.option("--db", type=PATH, required=True, metavar="FILE", help=N_("The gradebook."))
@jobs_option
@cluster_option
@rubric_option
@click.option(
    "--deadline",
    metavar="TIME",
    help=N_("The deadline (local time). The newest submission before the deadline counts."),
)
@click.option(
    "--map",
    "mapping",
    type=PATH,
    metavar="FILE",
    help=N_("A table (source,id,exercise) for files whose names do not show the student."),
)
@unsafe_option
@json_option
def grade(
    submissions: Path,
    db: Path,
    jobs: int | None,
    cluster: str | None,
    rubric: Path | None,
    deadline: str | None,
    mapping: Path | None,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Grade what is not graded yet; 1 where a submission was left without a verdict."""
    given = deadlines.read(deadline) if deadline else None
    with Gradebook.open(db) as book:
        wanted = _rubric(book, rubric)
        earlier, rule = class_grading.last_terms(book)
        until = given if given is not None else _earlier(earlier)
        whose = mappings.read(mapping, book.assignments()) if mapping else {}
        late = wanted.late if wanted.late is not None else rule
        late = team.shared_rule(late, until, book.students())
        collected = class_grading.gather(book, submissions, until, whose, late)
        plan = class_grading.plan(
            collected, wanted, secrets.token_hex(8), unsafe=unsafe, deadline=until, late=late
        )
        tally = _graded(book, plan, jobs, cluster)
        new = book.keep_questions(collected.questions)
        _tell(book, plan, tally, collected, new, as_json=as_json)
    return 1 if tally.failed else 0


@gradebook_argument
@click.argument(
    "students", nargs=-1, metavar="[STUDENT]...", help=N_("Ids of students. If not given: all.")
)
@click.option(
    "--reason", default="", metavar="TEXT", help=N_("The reason. It is saved with the change.")
)
@click.option(
    "--who", default="", metavar="NAME", help=N_("Your name. It is saved with the change.")
)
@jobs_option
@cluster_option
@rubric_option
@unsafe_option
@json_option
def regrade(
    gradebook: Path,
    students: tuple[str, ...],
    reason: str,
    who: str,
    jobs: int | None,
    cluster: str | None,
    rubric: Path | None,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Grade again what was handed in before."""
    expect_reason(reason, who)
    with Gradebook.open(gradebook) as book:
        known = {each.id for each in book.students()}
        for name in students:
            if name not in known:
                sentence = _("There is no student {name} in the gradebook.")
                raise UserError(suggest_or_list(sentence, name, sorted(known)))
        empty = class_grading.GradingPlan({}, _rubric(book, rubric), secrets.token_hex(8), unsafe)
        plan = class_grading.plan_again(book, students, empty, reason, who)
        tally = _graded(book, plan, jobs, cluster)
        _tell(book, plan, tally, None, (), as_json=as_json)
    return 1 if tally.failed else 0


def _earlier(deadline: datetime | None) -> datetime | None:
    """Return the deadline of the last round, where it had one, and print a note of it."""
    if deadline is not None:
        sentence = _("The deadline is the same as last time: {time}. Change it with {option}.")
        moment = numbers.moment(deadline.astimezone())
        consoles.note(sentence.format(time=moment, option="`--deadline TIME`"))
    return deadline


def _rubric(book: Gradebook, path: Path | None) -> Any:
    """Return the teacher's rubric, or the default one."""
    if path is None:
        return Rubric()
    # Also those that nobody has drawn: the same rubric is to do for another class.
    parts = [task.examined(*each) for each in {(a.lesson, a.framework) for a in book.assignments()}]
    faults = {bug.fault for part in parts for bug in part.known}
    return read(path, faults, {student.id for student in book.students()})


def _graded(
    book: Gradebook, plan: GradingPlan, jobs: int | None, cluster: str | None
) -> GradingProgress:
    """Do what the plan says, and show how far it has come."""
    if plan.unsafe:
        consoles.note(feedback.unsafe())
    with consoles.progress(consoles.err(), _("Preparing the sandbox …")) as update:
        grading = ClassGrading(book, plan, _showing(update))
        if not plan.chosen:
            return grading.tally
        with _workers(jobs, cluster, unsafe=plan.unsafe) as executor:
            grading.run(executor)
    return grading.tally


@contextlib.contextmanager
def _workers(jobs: int | None, cluster: str | None, *, unsafe: bool) -> Iterator[Executor]:
    """Open the executor: threads here, each of which looks after one job, or a cluster."""
    if cluster is not None:
        from course.grading.engine import cluster as dask

        with dask.workers(cluster) as executor:
            yield executor
        return

    if not unsafe:
        bubblewrap.expect_sandbox()
    count = jobs or min(MOST, len(os.sched_getaffinity(0)))
    task.share(count)
    # Some may wait for something beside those that compute.
    executor = ThreadPoolExecutor(AHEAD * count)
    try:
        yield executor
    except BaseException:
        # The jobs that are under way end with their box.
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    finally:
        task.close()
        executor.shutdown()


def _showing(update: consoles.ProgressLine) -> Callable[[GradingProgress], None]:
    """Make what shows how many are done, how fast, and how long the rest will take."""
    began = time.monotonic()

    def show(tally: GradingProgress) -> None:
        left, done = tally.left, tally.known + tally.graded
        text = _("{some} of {all}").format(some=done, all=tally.total)
        elapsed = time.monotonic() - began
        # What needs no examination is there at once, and tells nothing of how long the rest takes.
        if tally.examined and left:
            rate = tally.examined / elapsed
            text = f"{text} · {_left(left / rate)}"
        update(text)

    return show


def _left(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    return ngettext("about {n} minute left", "about {n} minutes left", minutes).format(n=minutes)


def _tell(
    book: Gradebook,
    plan: GradingPlan,
    tally: GradingProgress,
    collected: Collected | None,
    asked: Sequence[AskedQuestion],
    *,
    as_json: bool,
) -> None:
    """Print what was found, and what was `asked` in this round, in the teacher's language."""
    written = _log(tally)
    standings = [s for s in book.standings() if target(s.assignment) in plan.chosen]
    sentences = [unmatched.describe(each) for each in collected.unmatched] if collected else []
    late = list(dict.fromkeys(_too_late(collected, plan.chosen))) if collected else []
    missing = _missing(collected) if collected else []
    unread = [
        {**consoles.fields_of(each, "student", "source"), "why": unmatched.describe(each)}
        for each in (collected.unmatched if collected else ())
        if each.student is not None
    ]
    if as_json:
        contents = book.counted_contents(view.SHOWN)
        why = doubts.by_assignment(class_results.of(book.standings(), book.sessions(), contents))
        consoles.document(
            {
                "submissions": [
                    _to_json(each, why.get(target(each.assignment), [])) for each in standings
                ],
                "missing": list(dict.fromkeys(each.student for each in missing)),
                "missing_exercises": [
                    consoles.fields_of(each, "student", "lesson", "framework") for each in missing
                ],
                "unread": unread,
                "strays": sentences,
                "late": late,
                "questions": [{**describe_target(q.target), "text": q.text} for q in asked],
                "known": tally.known,
                "solutions": [consoles.fields_of(each, *SOLUTION) for each in tally.solutions],
                "unsafe": plan.unsafe,
                "log": written and str(written),
            }
        )
        return
    console = consoles.out()
    for each in standings:
        if target(each.assignment) in tally.new:
            _line(console, each)
    if tally.known:
        message = ngettext(
            "{n} submission was graded before and has not changed.",
            "{n} submissions were graded before and have not changed.",
            tally.known,
        )
        consoles.paragraph(console, message.format(n=tally.known))
    sentences += [_asking(each, book) for each in asked]
    for sentence in (*sentences, *late):
        consoles.paragraph(console, sentence)
    for sentence in _nothing_came(missing, several=len({a.stem for a in book.assignments()}) > 1):
        consoles.paragraph(console, sentence)
    n = sum(standing.score is not None for standing in standings)
    message = ngettext("{n} submission has a mark.", "{n} submissions have a mark.", n)
    consoles.paragraph(console, message.format(n=n), style="bold")
    if tally.failed:
        message = ngettext(
            "{n} submission could not be graded because of an error in our grading program. The "
            "same command tries it again.",
            "{n} submissions could not be graded because of an error in our grading program. The "
            "same command tries them again.",
            tally.failed,
        )
        consoles.paragraph(console, message.format(n=tally.failed))
    command = f"`course class report {book.path} --format html -o class.html`"
    consoles.paragraph(console, _("An overview of the class: {command}.").format(command=command))


def _asking(asked: AskedQuestion, book: Gradebook) -> str:
    """Say what a student asks, and how it is answered."""
    sentence = _("{student} asks about the mark: {text} Answer with {command}.")
    command = f"`course class comment {book.path} {asked.target[0]} TEXT --who NAME`"
    text = feedback.printable(asked.text)
    return sentence.format(student=f"`{asked.target[0]}`", text=text, command=command)


def _missing(collected: Collected) -> list[Assignment]:
    """Return the exercises of which nothing has come, in this round or an earlier one."""
    unread = {each.student for each in collected.unmatched}
    earlier = {target(each) for each in collected.earlier}
    return [a for a in collected.missing if a.student not in unread and target(a) not in earlier]


def _nothing_came(missing: Iterable[Assignment], *, several: bool) -> Iterator[str]:
    """Yield from whom nothing has come, by exercise where the gradebook has several."""
    students: dict[str, list[str]] = {}
    for each in missing:
        students.setdefault(each.stem, []).append(f"`{each.student}`")
    for stem, ids in students.items():
        sentence = about(_("Nothing handed in"), enumerate_words(ids))
        yield about(f"`{stem}`", sentence) if several else sentence


def _too_late(collected: Collected, chosen: Mapping[Target, Submission]) -> Iterator[str]:
    """Say of each student whose newest submission does not count that it came too late."""
    newest = {target(each): each for each in collected.submissions}
    for whose, last in newest.items():
        counts = chosen[whose]
        if last.late and not counts.late and last.digest != counts.digest:
            sentence = _(
                "{source} came after the deadline. The student's last submission before the "
                "deadline counts."
            )
            yield sentence.format(source=f"`{last.source}`")


def _log(tally: GradingProgress) -> Path | None:
    """Name the log where a submission was left without a verdict; None where nothing went wrong."""
    if not tally.failed:
        return None

    written = log.file()
    if written is not None:
        consoles.note(log.sentence(written))
    return written


def _to_json(standing: StudentResult, why: list[Doubt]) -> dict[str, Any]:
    """Describe one submission for programs, with `why` its mark is uncertain."""
    uncertain = [{"kind": doubt.kind, "text": doubt.text} for doubt in why]
    found = standing.grade
    given = standing.assignment
    if found is None:
        return {
            "student": given.student, "group": standing.student.team or None,
            "lesson": given.lesson, "framework": given.framework,
            "score": None, "max_score": None, "status": "internal-error", "bugs": [],
            "new_faults": [], "notes": [], "failure": None, "uncertain": uncertain,
        }  # fmt: skip
    return {
        "student": found.student,
        "group": standing.student.team or None,
        **grade_json.describe(found),
        "score": replace(standing, override=None).score,
        "late": standing.late,
        "penalty": asdict(standing.penalty) if standing.penalty else None,
        "override": standing.override.score if standing.override else None,
        "uncertain": uncertain,
    }


def _line(console: Any, standing: StudentResult) -> None:
    """Print one submission: who, which exercise, how much, where it stands."""
    grade = standing.grade
    name = f"{feedback.who(standing.student)}  {standing.assignment.stem}"
    if grade is None or not grade.judged:
        status = grade.status if grade else "internal-error"
        notes = [n for n in (grade.notes if grade else ()) if status == "refused" or n.id == OURS]
        told = " ".join(map(note.describe_note, notes)) or feedback.status(status)
        consoles.paragraph(console, f"  ?  {name}  {told}")
        return
    score = replace(standing, override=None).score or 0.0
    full = score == grade.max_score
    done, wrong, _todo = consoles.marks(console)
    words = [feedback.status(grade.status)] if grade.status != "graded" else []
    if not full and grade.status == "graded":
        words = [] if grade.score == grade.max_score else [_stage(standing)]
    words += [note.describe_note(n) for n in grade.notes if n.id in AT_ONCE]
    words += [feedback.penalty(standing.penalty)] if standing.penalty else []
    mark = f"{feedback.points(score)}/{feedback.points(grade.max_score)}"
    line = f"{done if full else wrong} {mark:>6}  {name}  {' '.join(words)}"
    consoles.paragraph(console, line, indent=1)


def _stage(standing: StudentResult) -> str:
    """Name the stage where a student stands, as the map of the class calls it."""
    return labels.place(class_results.place(standing))
