"""The roster: a table of the students, as a spreadsheet or a learning platform writes it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from course.base import i18n
from course.base.errors import UserError
from course.base.i18n import _, enumerate_words
from course.grading import table_file
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


def read(path: Path, default_lang: str) -> tuple[Student, ...]:
    """Read the students of a class, in the order of the file.

    Columns `id`, `name`, `lang`, `group`, in any order; others are passed over, but for those of
    `PLATFORMS`. A missing name is the id, a missing language `default_lang`. A group is called as
    its first member writes it.

    Raises:
        UserError: the file can't be read, or a line of it can't be used; says which and why.

    """
    students: list[Student] = []
    lines: dict[str, int] = {}
    teams: dict[str, str] = {}
    text = table_file.text(path)
    if not text.strip("\ufeff \t\n"):
        sentence = _(
            "{path} is empty: its first line should be {header}, and a line a student follow."
        )
        raise UserError(sentence.format(path=f"`{path}`", header=f"`{HEADER}`"))
    for line, fields in table_file.rows(path, text, ("id",), HEADER):
        student = _student(path, line, fields, default_lang)
        for key in (folded(student.id), *student.aliases):
            first = lines.setdefault(key, line)
            if first != line:
                sentence = _(
                    "{path}: lines {first} and {second} have the same id, {id}: change one."
                )
                name = key if key in student.aliases else student.id
                raise UserError(
                    sentence.format(path=f"`{path}`", first=first, second=line, id=f"`{name}`")
                )
        team = teams.setdefault(folded(student.team), student.team)
        students.append(replace(student, team=team))
    if not students:
        sentence = _("There is no student in {path}: write one in each line below the header.")
        raise UserError(sentence.format(path=f"`{path}`"))
    return tuple(students)


def has_names(students: Iterable[Student]) -> bool:
    """Whether any student of a roster has a name beside the id."""
    return any(each.name != each.id for each in students)


def folded(name: str) -> str:
    """Fold a name, so that two names are the same where some file system takes them for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _student(path: Path, line: int, fields: dict[str, str], default_lang: str) -> Student:
    own = fields.get("id", "")
    if not own:
        sentence = _("Line {line} of {path} has no id: give each student one.")
        raise UserError(sentence.format(line=line, path=f"`{path}`"))
    if not is_safe(own):
        sentence = _(
            "Line {line} of {path}: {id} cannot be the name of a folder on every system: "
            "use letters, digits, spaces and {marks}, at most {n} characters."
        )
        shown = "".join(c if c.isprintable() else "\ufffd" for c in own[:LONGEST])
        named = {"id": f"`{shown}`", "marks": "`@ . _ -`", "n": LONGEST}
        raise UserError(sentence.format(line=line, path=f"`{path}`", **named))
    lang = fields.get("lang", "")
    spoken = i18n.normalise(lang) if lang else default_lang
    if spoken is None:
        sentence = _("Line {line} of {path}: there is no language {name}; choose one of {known}.")
        known = enumerate_words(f"`{x}`" for x in i18n.available())
        raise UserError(sentence.format(line=line, path=f"`{path}`", name=f"`{lang}`", known=known))
    aliases = tuple(_aliases(path, line, fields))
    team = " ".join(fields.get("group", "").split())
    return Student(own, fields.get("name", "") or own, spoken, aliases, team)


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
            sentence = _("Line {line} of {path}: {value} in the column {column} has no number.")
            named = {"value": f"`{value}`", "column": f"`{platform}`"}
            raise UserError(sentence.format(line=line, path=f"`{path}`", **named))
        yield f"{platform}:{int(number.group())}"
