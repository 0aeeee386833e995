"""The working copy that a command is about, and the fault that bites in it."""

import contextlib
from pathlib import Path

from rich.console import Console

from course.base.errors import UserError
from course.base.i18n import _
from course.base.schema import suggest_or_list
from course.cli.environment.run_place import find_context
from course.cli.terminal import consoles, live
from course.exercise import practice, progress
from course.exercise.working_copy import Copy, find, read
from course.judge.verdict import describe_problem
from course.lesson import lesson
from course.runs import hub


def find_copy(word: str | None, fw: str | None = None) -> Copy:
    """Find the working copy that a word means: a path, or a lesson's copy that was run last.

    Raises:
        UserError: there is none, or the word fits several.

    """
    # What is wrong here is said in its language, too.
    consoles.follow_last()
    where = Path(word or ".")
    if word is not None and word in lesson.ids() and not (where.is_dir() and _holds_copy(where)):
        known = [p for p in progress.everything() if p.lesson == word and Path(p.path).is_file()]
        known = [p for p in known if fw in (None, p.framework)]
        if not known:
            sentence = _("You have no exercise for {lesson} yet. {command} makes one.")
            command = f"`course start {word}`"
            raise UserError(sentence.format(lesson=f"`{word}`", command=command))
        where = Path(known[0].path)
    copy = read(find(where))
    consoles.follow(copy.header.lang)
    if copy.about_its_header:
        consoles.note(copy.about_its_header)
    return copy


def find_copy_or_lesson(word: str) -> Copy:
    """Find the working copy at a path; a word that is neither may be a lesson misspelt.

    Raises:
        UserError: there is none.

    """
    if not Path(word).exists() and Path(word).name == word and not word.endswith((".py", ".ipynb")):
        raise UserError(
            suggest_or_list(_("There is no lesson or file {name}."), word, lesson.ids())
        )
    return find_copy(word)


def find_current_fault(
    copy: Copy, console: Console, *, cold: bool, quiet: bool
) -> tuple[practice.CurrentFault, str]:
    """Find the fault that bites in a copy, and its problem in words, by this text's last run.

    A text that has not been run yet is run now.
    """
    known = practice.recall(copy)
    if known is not None:
        return known, ""
    context = find_context(copy.part, hub.EMBEDDED, cold=cold, quiet=quiet)
    attempt = live.attend(copy, context, console, is_quiet=True).attempt
    # Of a failure that the catalogue doesn't know, the hints for the learner's own say more.
    is_unknown = attempt.verdict.problem == "unknown"
    problem = "" if is_unknown else describe_problem(attempt.verdict, attempt.outcome)
    return practice.current_fault(attempt), problem


def _holds_copy(folder: Path) -> bool:
    """Return whether a folder holds just one exercise."""
    with contextlib.suppress(UserError):
        find(folder)
        return True
    return False
