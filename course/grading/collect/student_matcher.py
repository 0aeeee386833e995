"""The roll of a class: who is meant by a folder or a file, and which exercise by a file's name."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from course.grading.collect.unmatched import UnmatchedFile
from course.grading.distribute.assignment import Assignment, Student
from course.grading.distribute.roster import folded

_FOLDER = re.compile(r"(?P<name>[^_]*)_(?P<number>\d+)_assignsubmission_file_?")
_FLAT = re.compile(r"(?P<name>[^_]*)_(?P<number>\d+)_assignsubmission_file_(?P<file>.+)")
_CANVAS = re.compile(
    r"(?P<name>[^_].*?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<upload>\d+)_(?P<file>.+)"
)
"""Moodle's folders since 3.1, its flat files before; Canvas' files. In both, the names are free of
what these patterns look for. Moodle's number is a participant's, another one in each assignment;
Canvas' are those of the user and of the uploaded file, which grow from upload to upload."""
_COPY = (
    r"(?:[\s_-]*\((?P<a>\d{1,4})\)|[\s_-]+(?P<b>\d{1,4})"
    r"|\s*[\s—–-]\s*(?:copy|副本|копия)(?P<c>\d{1,4})?)?"
)
"""What systems put behind a name of which there is one already; Jupyter writes `-Copy1`."""
_COPY_OF = r"(?:copy[ _]of[ _])?"
"""What Colab puts before it."""


@dataclass(frozen=True)
class FileOwner:
    """Whose a file is, and its path below the folder of the student.

    `dated` tells that its time is that of the submission: the platforms' archives only know when
    they were made. `late` is what the platform says itself; `upload` puts its files in order.
    """

    student: str
    parts: tuple[str, ...]
    dated: bool = True
    late: bool = False
    upload: int = 0


class StudentMatcher:
    """The students of a class and what each was given."""

    def __init__(self, students: Sequence[Student], assignments: Iterable[Assignment]) -> None:
        self.given: dict[str, list[Assignment]] = defaultdict(list)
        self._by_id = {folded(s.id): s for s in students}
        self._by_alias = {alias: s for s in students for alias in s.aliases}
        self._by_name: dict[str, list[Student]] = defaultdict(list)
        for student in students:
            for key in _turns(student.name):
                self._by_name[key].append(student)
        for assignment in assignments:
            self.given[assignment.student].append(assignment)
        self._stems = {a.stem for some in self.given.values() for a in some}

    def has_folder(self, name: str) -> bool:
        """Whether a folder of this name is one student's."""
        return folded(name) in self._by_id or _FOLDER.fullmatch(name) is not None

    def find(self, parts: tuple[str, ...]) -> FileOwner:
        """Whose a file at this path is: by its folder, or by its own name.

        Raises:
            UnmatchedFile: it cannot be told.

        """
        first, rest = parts[0], parts[1:]
        known = self._by_id.get(folded(first))
        if known is not None:
            return FileOwner(known.id, rest)
        folder = _FOLDER.fullmatch(first) if rest else None
        if folder is not None:
            return FileOwner(self._meant("moodle", folder), rest, dated=False)
        if rest:
            raise UnmatchedFile("unknown-student", who=first)
        if flat := _FLAT.fullmatch(first):
            return FileOwner(self._meant("moodle", flat), (flat["file"],), dated=False)
        if upload := _CANVAS.fullmatch(first):
            if re.match(r"\d+_", upload["file"]):
                # Whether the name or the file has these digits more, only a person can tell.
                raise UnmatchedFile("odd-name")
            student = self._meant("canvas", upload)
            late, number = upload["late"] is not None, int(upload["upload"])
            return FileOwner(student, (upload["file"],), dated=False, late=late, upload=number)
        stem = first.rpartition(".")[0]
        if first.casefold().endswith(".zip") and folded(stem) in self._by_id:
            return FileOwner(self._by_id[folded(stem)].id, (first,))
        raise UnmatchedFile("no-student")

    def _meant(self, column: str, found: re.Match[str]) -> str:
        """Whom a platform means by a number and a name, which must not contradict each other.

        The number counts where the roster has it in its column; where it is an id, only if the
        name fits too or the roster has none. Without either, a name that only one student has.
        """
        name, number = found["name"].strip(), found["number"]
        named = self._by_name.get(_key(name), [])
        by_number = self._by_alias.get(f"{column}:{int(number)}")
        by_id = self._by_id.get(number) if by_number is None else None
        known = by_number or by_id
        figures = {"who": name, "number": number, "column": column}
        if known is not None and known in named:
            return known.id
        if known is not None and named and (by_number or known.name == known.id):
            raise UnmatchedFile("two-students", **figures)
        if by_number is not None:
            return by_number.id
        if by_id is not None and not named:
            if by_id.name == by_id.id:
                return by_id.id
            raise UnmatchedFile("other-name", **figures)
        if len(named) > 1:
            raise UnmatchedFile("several-students", **figures)
        if not named:
            raise UnmatchedFile("unknown-student", who=f"{name} {number}")
        return named[0].id

    def exercise(self, student: str, name: str) -> tuple[Assignment, int] | None:
        """Which of a student's exercises a file's name means, and its number as a copy.

        A script may come back as a notebook and the other way round.
        """
        for assignment in self.given.get(student, ()):
            number = _version(name, assignment.stem)
            if number is not None:
                return assignment, number
        return None

    def is_exercise(self, name: str) -> bool:
        """Whether it is the name of an exercise that somebody in the class was given."""
        return any(_version(name, stem) is not None for stem in self._stems)

    def by_nbgrader(self, student: str) -> set[str]:
        """Return the names of assignments that nbgrader gives out to a student, and collects."""
        return {a.stem for a in self.given.get(student, ()) if a.form == "nbgrader"}

    def only(self, student: str) -> Assignment | None:
        """Return the one exercise that a student was given; None where there are several."""
        given = self.given.get(student, [])
        return given[0] if len(given) == 1 else None


def _version(name: str, stem: str) -> int | None:
    """Return the number behind a file's name, 0 without one; None for another file's name."""
    # Browsers and mail programs put `.txt` behind; some systems allow no hyphen.
    named = "[-_ ]".join(map(re.escape, stem.split("-")))
    pattern = rf"{_COPY_OF}{named}{_COPY}\.(?:py|ipynb)(?:\.txt)?"
    found = re.fullmatch(pattern, unicodedata.normalize("NFC", name).strip(), re.IGNORECASE)
    return int(found["a"] or found["b"] or found["c"] or 0) if found else None


def _key(name: str) -> str:
    """Reduce a name to the letters, digits and marks that any platform keeps in a file name."""
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return "".join(c for c in text if unicodedata.category(c)[0] in "LNM")


def _turns(name: str) -> set[str]:
    """Return a name with each word first in turn: platforms put the last name first or last."""
    words = [key for key in map(_key, re.split(r"[\s,_]+", name)) if key]
    return {"".join(words[i:] + words[:i]) for i in range(len(words))}
