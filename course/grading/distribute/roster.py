"""The roster: a table of the students, as a spreadsheet or a learning platform writes it."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from course.base import i18n, schema
from course.base.errors import UserError
from course.base.i18n import _
from course.base.texts import load_table
from course.grading import table_file
from course.grading.collect.found_file import shown
from course.grading.distribute.assignment import Student

LONGEST = 100
"""Characters of the longest id; `LONGEST_NAME` bytes are what a file system takes for sure."""
LONGEST_NAME = 240
PLATFORMS = ("moodle", "canvas")
"""Columns, none of them needed, with the numbers by which these know a student."""
_FORBIDDEN = set('<>:"/\\|?*')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\..*)?")
"""Names that Windows keeps for devices, whatever follows a dot."""
HEADER = "id,name,lang"
IDS = ("id", "login", "email", "canvas", "moodle")
"""Columns of which the first that a row has is the student's id."""
COLUMNS: dict[str, list[str]] = load_table("roster")
"""What platforms call our columns in the tables that they export, in small letters."""
STUDENTS = ("", "student", "студент", "学生")
"""The role of a row that is to be read, in a table that has roles."""
HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]+")
TEST_STUDENT = "student, test"
"""Whom Canvas adds to each course."""


def read(path: Path, default_lang: str) -> tuple[Student, ...]:
    """Read the students of a class, in the order of the file.

    Columns `id`, `name`, `lang`, `group`, in any order, or as Moodle, Canvas and Gradescope export
    them; others are passed over, but for those of `PLATFORMS`. A missing name is the id, a missing
    language `default_lang`. A group is called as its first member writes it.

    Raises:
        UserError: the file can't be read, or a line of it can't be used; says which and why.

    """
    students: list[Student] = []
    lines: dict[str, int] = {}
    teams: dict[str, str] = {}
    text = table_file.text(path)
    nobody = _(
        "There is no student in {path}. Its first line should be {header}. One line for each "
        "student should follow."
    ).format(path=f"`{path}`", header=f"`{HEADER}`")
    if not text.strip("\ufeff \t\n"):
        raise UserError(nobody)
    for line, fields in table_file.rows(path, text, (), HEADER, partial(_renamed, path)):
        if _is_nobody(fields):
            continue
        student = _student(path, line, fields, default_lang)
        for key in (folded(student.id), *student.aliases):
            first = lines.setdefault(key, line)
            if first != line:
                sentence = _(
                    "{path}: lines {first} and {second} have the same id, {id}. Change one of them."
                )
                name = key if key in student.aliases else student.id
                raise UserError(
                    sentence.format(path=f"`{path}`", first=first, second=line, id=f"`{name}`")
                )
        team = teams.setdefault(folded(student.team), student.team)
        students.append(replace(student, team=team))
    if not students:
        raise UserError(nobody)
    return tuple(students)


def _renamed(path: Path, columns: list[str]) -> list[str]:
    """Give the columns of an export our names.

    A column of groups is left out: on a platform it may be anything, a whole year too.

    Raises:
        UserError: there is none by which students can be told apart.

    """
    is_ours = "id" in columns and not {"student", "section"} <= set(columns)
    kinds = ("name", "first", "last") if is_ours else COLUMNS
    ours = {other: kind for kind in kinds for other in COLUMNS[kind]}
    # A column `ID` of Canvas holds numbers of its own.
    named = [ours.get(name, name if is_ours or name != "id" else "canvas") for name in columns]
    table_file.expect(path, ["id"] if set(named) & set(IDS) else named, ("id",), HEADER)
    return named


def _is_nobody(fields: dict[str, str]) -> bool:
    """Whether a row of an export is no student's: of a teacher, or of points in Canvas."""
    if "section" in fields and "canvas" in fields and not fields["canvas"]:
        return True
    role, name = fields.get("role", ""), fields.get("name", "")
    return role.casefold() not in STUDENTS or name.casefold() == TEST_STUDENT


def _name(fields: dict[str, str]) -> str:
    """Return a name; of two parts, the family name stands first where it is written so."""
    first, last = fields.get("first", ""), fields.get("last", "")
    if fields.get("name") or not (first and last):
        return fields.get("name", "") or first or last
    return f"{last}{first}" if HAN.fullmatch(last + first) else f"{first} {last}"


def folded(name: str) -> str:
    """Fold a name, so that two names are the same where some file system takes them for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _student(path: Path, line: int, fields: dict[str, str], default_lang: str) -> Student:
    own = next((fields[name] for name in IDS if fields.get(name)), "")
    if not own:
        sentence = _("Line {line} of {path} has no id. Give each student an id.")
        raise UserError(sentence.format(line=line, path=f"`{path}`"))
    if not is_safe(own):
        sentence = _(
            "Line {line} of {path}: {id} cannot be the name of a folder on every system. Use "
            "letters, digits, spaces and {marks}, at most {n} characters."
        )
        named = {"id": f"`{shown(own[:LONGEST])}`", "marks": "`@ . _ -`", "n": LONGEST}
        raise UserError(sentence.format(line=line, path=f"`{path}`", **named))
    lang = fields.get("lang", "")
    spoken = i18n.normalise(lang) if lang else default_lang
    if spoken is None:
        told = schema.refused("lang", lang, i18n.available())
        raise UserError(i18n.about(f"`{path}:{line}`", told))
    aliases = tuple(_aliases(path, line, fields))
    team = " ".join(fields.get("group", "").split())
    return Student(own, _name(fields) or own, spoken, aliases, team)


def is_safe(name: str) -> bool:
    """Whether a name can be that of a folder on any file system, and of no other folder."""
    return not (
        name != name.strip()
        or name.startswith(".")
        or name.endswith(".")
        or len(name) > LONGEST
        or len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME
        or _FORBIDDEN & set(name)
        or any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in name)
        or _RESERVED.fullmatch(name)
    )


def _aliases(path: Path, line: int, fields: dict[str, str]) -> Iterator[str]:
    """Yield the numbers of the platforms; Moodle's worksheets write `Participant 657737`."""
    for platform in PLATFORMS:
        value = fields.get(platform, "")
        if not value:
            continue
        number = re.search(r"[0-9]+$", value)
        if number is None:
            sentence = _(
                "Line {line} of {path}: {value} in the column {column} must end in a number."
            )
            named = {"value": f"`{value}`", "column": f"`{platform}`"}
            raise UserError(sentence.format(line=line, path=f"`{path}`", **named))
        yield f"{platform}:{int(number.group())}"
