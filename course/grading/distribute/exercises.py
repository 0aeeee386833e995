"""What is handed out: an exercise for each student, and a page of instructions a language."""

import contextlib
import hashlib
import os
import secrets
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from course.base import files, i18n
from course.base.errors import UserError
from course.base.i18n import _
from course.exercise import working_copy
from course.grading.distribute import instructions
from course.grading.distribute.assignment import Assignment, Form, Student, by_team
from course.grading.distribute.instructions import Terms
from course.grading.distribute.roster import folded
from course.grading.report import feedback
from course.lesson.bug import Bug
from course.lesson.lesson import Part

WHOLE = 0
"""The seed of a class in which nothing is drawn: everybody has all bugs."""


@dataclass(frozen=True)
class Wheel:
    """The wheel of `course` that the first cell of a notebook installs where it is missing."""

    name: str
    content: bytes


def read_wheel(path: Path) -> Wheel:
    """Read the wheel of `course` that is to be handed out.

    Raises:
        UserError: there is no such file, or it is no wheel of `course`.

    """
    try:
        content = path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile):
        names = []
    # The first cell looks for such a name, and pip reads the version out of it.
    if not fnmatch(path.name, "nlp_course_companion-*.whl") or "course/__init__.py" not in names:
        sentence = _(
            "{path} is not a wheel of {course}. Make one with {command} in a copy of the "
            "repository."
        )
        words = {"course": "`course`", "command": "`pip wheel --no-deps .`"}
        raise UserError(sentence.format(path=f"`{path}`", **words))
    return Wheel(path.name, content)


@dataclass(frozen=True)
class DistributedExercise:
    """What one student gets; `text` is the whole file."""

    assignment: Assignment
    text: str

    @property
    def path(self) -> Path:
        """Where it lies in the folder of the class, or in that of nbgrader's course."""
        given = self.assignment
        return _folder(given.form, given.stem, given.student) / given.file_name


@dataclass(frozen=True)
class Handout:
    """All that a class gets: the exercises in the order of the roster, a page for each language.

    `pages` are the instructions by their path. `seed` is what the bugs were drawn from, None where
    everybody has all of them. `wheel` lies beside each notebook.
    """

    seed: int | None
    exercises: tuple[DistributedExercise, ...]
    pages: dict[Path, str]
    wheel: Wheel | None = None

    @property
    def contents(self) -> dict[Path, bytes]:
        """Every file by its path in the folder of the class."""
        texts = {**{each.path: each.text for each in self.exercises}, **self.pages}
        contents = {path: text.encode() for path, text in texts.items()}
        if self.wheel is not None:
            for each in self.exercises:
                contents[each.path.with_name(self.wheel.name)] = self.wheel.content
        return contents


def make(
    part: Part,
    students: Sequence[Student],
    seed: int | None = None,
    size: int | None = None,
    form: Form = "script",
    *,
    exam: bool = False,
    wheel: Wheel | None = None,
    terms: Terms = instructions.USUAL,
) -> Handout:
    """Make the exercises of a class: all bugs for everybody, or draws of `size` many bugs.

    With a `seed` alone each student draws one bug at least. Without one it is drawn as well. Who
    works in a team has the bugs of the team, in a language of their own.
    nbgrader has one notebook for all: it is in their language, or in that in force if they have
    several. In an `exam` the copies show no fixes. A `wheel` is put beside each notebook.

    Raises:
        UserError: the exercise has not that many bugs, a student's id is that of a page, bugs are
            to be drawn for nbgrader, or a wheel is to lie beside scripts.

    """
    languages = sorted({s.lang for s in students})
    _check(students, languages)
    if form == "nbgrader" and not (seed is None and size is None):
        sentence = _("nbgrader gives everybody the same notebook. Do not use {seed} and {bugs}.")
        raise UserError(sentence.format(seed="`--seed`", bugs="`--bugs`"))
    if form == "script" and wheel is not None:
        sentence = _("{option} can only be used with {lesson}.")
        raise UserError(sentence.format(option="`--wheel`", lesson="`--notebooks`"))
    if seed is None and size is not None:
        seed = secrets.randbits(32)
    drawn = {s.id: part.bugs if seed is None else draw(part, s, seed, size) for s in students}
    spoken = {s.id: s.lang for s in students}
    if form == "nbgrader" and len(languages) > 1:
        spoken = dict.fromkeys(spoken, i18n.language())
    texts = {}
    for lang in sorted(set(spoken.values())):
        # One language after the other: each has its catalogue read once.
        with feedback.speaking(lang):
            for bugs in {drawn[s.id] for s in students if spoken[s.id] == lang}:
                texts[lang, bugs] = file_text(part, bugs, form, exam=exam)
    exercises = []
    for each in students:
        bugs, lang = drawn[each.id], spoken[each.id]
        text = texts[lang, bugs]
        assignment = Assignment(
            student=each.id,
            lesson=part.lesson,
            framework=part.framework,
            bugs=tuple(b.fault for b in bugs),
            lang=lang,
            seed=WHOLE if seed is None else seed,
            digest=hashlib.sha256(text.encode()).hexdigest(),
            form=form,
            exam=exam,
        )
        exercises.append(DistributedExercise(assignment, text))
    pages = {}
    place = _folder(form, f"{part.lesson}-{part.framework}", "")
    beside = wheel.name if wheel else None
    for lang in languages:
        with feedback.speaking(lang):
            pages[place / instructions.page_name(lang)] = instructions.page(
                part, form, by_team(students), exam=exam, wheel=beside, terms=terms
            )
    return Handout(seed, tuple(exercises), pages, wheel)


def _check(students: Sequence[Student], languages: Sequence[str]) -> None:
    """Make sure that no student's folder would lie where a page is to.

    Raises:
        UserError: one would.

    """
    names = {instructions.page_name(lang) for lang in languages}
    for student in students:
        if student.id.casefold() in names:
            sentence = _("The id {id} cannot be the name of a folder. Choose another id.")
            raise UserError(sentence.format(id=f"`{student.id}`"))


def draw(part: Part, student: Student, seed: int, size: int | None = None) -> tuple[Bug, ...]:
    """Draw the bugs of a student or a team; the rest of the class makes no difference.

    Raises:
        UserError: the exercise has not that many bugs.

    """
    # No id has a line of its own in it, so that no student draws by accident as a team does.
    drawer = f"group\n{folded(student.team)}" if student.team else student.id
    digest = hashlib.sha256(f"{seed}\n{drawer}".encode()).digest()
    return working_copy.draw(part, int.from_bytes(digest[:8]), size)


def file_text(part: Part, bugs: tuple[Bug, ...], form: Form, *, exam: bool = False) -> str:
    """Make the file with these bugs in it, in the language in force."""
    if form == "script":
        return working_copy.text(part, bugs, exam=exam)
    from course.notebook import make as notebook

    return notebook.text(part, bugs, exam=exam)


def _folder(form: Form, stem: str, student: str) -> Path:
    """Where something for a student, or for all, lies in the class's folder, or in nbgrader's."""
    return Path("source", stem) if form == "nbgrader" else Path(student)


@contextlib.contextmanager
def put(handout: Handout, folder: Path) -> Iterator[None]:
    """Write the files of a class, and take them back should what follows fail.

    Into a folder that is there, only what is missing is written.

    Raises:
        UserError: something else is there already; nothing has changed.
        OSError: it can't be written, which is said in one place for all commands.

    """
    contents = handout.contents
    with contextlib.ExitStack() as undo:
        for path in _missing(contents, folder):
            target = folder / path
            for each in reversed(target.parents):
                if not each.is_dir():
                    each.mkdir()
                    undo.callback(_remove, each)
            files.create(target, contents[path])
            undo.callback(_remove, target)
        yield
        undo.pop_all()


def _missing(contents: dict[Path, bytes], folder: Path) -> list[Path]:
    """Return the paths that are not there yet.

    Raises:
        UserError: under one of the names lies something else.

    """
    missing = []
    for path, content in contents.items():
        target = folder / path
        if not os.path.lexists(target):
            missing.append(path)
        elif not target.is_file() or target.read_bytes() != content:
            sentence = _("{path} already exists and was not changed. Choose another name.")
            raise UserError(sentence.format(path=f"`{target}`"))
    return missing


def _remove(path: Path) -> None:
    """Remove what was made; a folder that holds something else by now stays."""
    with contextlib.suppress(OSError):
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()
