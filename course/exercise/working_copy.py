"""A working copy: made, found again, read, started over. The text in it is the learner's own."""

import hashlib
import random
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from course.base import files, i18n, texts, user_file
from course.base.errors import UserError
from course.base.i18n import N_, _, enumerate_words, in_a_row
from course.exercise import header, progress
from course.exercise.header import Header
from course.lesson import lesson
from course.lesson.bug import Bug
from course.lesson.lesson import Part
from course.notebook.cells import notebook, pairing, script
from course.notebook.cells.notebook import Notebook, Unusable
from course.notebook.cells.script import Script

CAP = 1_000_000
"""Bytes of the largest file that is taken for an exercise."""
OPENING = N_(
    "There are bugs in this script. Fix them, save the script, and run it with `course run`."
)
CLEAN = N_("This script has no bug. Run it with `course run`, or change it and see what happens.")
HELP = N_(
    "`course hint` gives a hint, and `course watch` runs the script again each time you save it."
)
OTHER_VERSION = N_("{path} was made by another version of {program}: use that one.")
DAMAGED = N_(
    "The first line of {path} was changed. It says which exercise this is, so put the original "
    "line back."
)
LostHeader = Literal["known", "named"]
LOST: dict[LostHeader, str] = {
    "known": N_(
        "The first line of {path} is missing. It says which exercise this is. Put it back: {line}"
    ),
    "named": N_(
        "The first line of {path} is missing. It says which exercise this is. The file name shows "
        "that it is an exercise of {lesson}. Put the original line back. If the exercise has all "
        "the bugs of the lesson, that line is: {line}"
    ),
}


@dataclass(frozen=True)
class Copy:
    """A working copy as it lies on the disk: `text` has its own line endings and byte-order mark.

    `bugs` are those that it was made with; some may be out by now. Of a notebook, `text` is the
    `script` of its cells. Where its first line is `lost` the header is what was `known` of it
    before, or what the file is `named`.
    """

    path: Path
    text: str
    header: Header
    part: Part
    bugs: tuple[Bug, ...]
    script: Script | None = None
    lost: LostHeader | None = None

    @property
    def about_its_header(self) -> str:
        """Say which line is lost, and that it is to be put back; empty where it is there."""
        if self.lost is None:
            return ""
        sentence = _(LOST[self.lost])
        line = f"`{self.header.line().strip()}`"
        name = f"`{self.part.lesson}`"
        return sentence.format(path=f"`{self.path.name}`", line=line, lesson=name)

    @property
    def content(self) -> str:
        """Return the text of the file: a script's, or a notebook's JSON."""
        return self.text if self.script is None else self.script.notebook.text

    def written(self, text: str) -> str:
        """Return the whole text of the file with another text of the script in it.

        Raises:
            ValueError: it can't be told which cells of the notebook the text belongs to.

        """
        if self.script is None:
            return text
        return self.script.notebook.replaced(self.script.back(text))

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the text, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def draw(part: Part, seed: int, size: int | None = None) -> tuple[Bug, ...]:
    """Draw some of the part's bugs, the same for the same seed; `size` many, or one at least.

    Raises:
        UserError: there are not that many.

    """
    if size is not None and not 0 <= size <= len(part.bugs):
        sentence = _("Give a number from 1 to {n}.").format(n=len(part.bugs))
        raise UserError(i18n.about("`--bugs`", sentence))
    chance = random.Random(f"{part.lesson} {part.framework} {seed}")
    many = chance.randint(1, len(part.bugs)) if size is None else size
    chosen = chance.sample(range(len(part.bugs)), many)
    return tuple(part.bugs[i] for i in sorted(chosen))


def text(part: Part, bugs: Iterable[Bug], *, exam: bool = False) -> str:
    """Make the text of a new working copy, with its prose in the language in force."""
    chosen = tuple(b for b in part.known if b in tuple(bugs))
    faults = tuple(b.fault for b in chosen)
    first = Header(part.lesson, part.framework, faults, i18n.language(), exam=exam).line()
    opening = "".join(f"# {_(line)}\n" for line in (OPENING if chosen else CLEAN, HELP))
    return f"{first}{opening}\n{texts.translated(part.text(chosen), _)}"


def file_name(part: Part) -> str:
    """Return the file name of a part's working copy: its lesson and framework, and `.py`."""
    return f"{part.lesson}-{part.framework}.py"


def start(part: Part, bugs: Iterable[Bug], folder: Path) -> Path:
    """Write a new working copy into a folder, made if need be.

    Raises:
        UserError: there is one already.
        OSError: it can't be written there, which is said in one place for all commands.

    """
    path = Path(folder, file_name(part)).absolute()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.create(path, text(part, bugs).encode())
    except FileExistsError as error:
        sentence = _(
            "{path} already exists. Continue with `course watch`, start again with "
            "`course reset`, or name another folder."
        )
        raise UserError(sentence.format(path=f"`{error.filename or path}`")) from error
    return path


def anew(copy: Copy) -> str:
    """Make the first text of a script's copy again, with its prose in the language in force."""
    return text(copy.part, copy.bugs, exam=copy.header.exam)


def reset(copy: Copy, made: Callable[[Copy], str] = anew) -> Path:
    """Write the exercise anew, in the language it was made in; where the old text is kept.

    `made` gives the text of the file in the language in force.
    """
    spoken = i18n.language()
    with suppress(UserError):
        i18n.activate(i18n.negotiate(copy.header.lang, {}))
    fresh = made(copy)
    i18n.activate(spoken)
    kept = backup(copy.path)
    files.write(copy.path, fresh.encode())
    return kept


def backup(path: Path) -> Path:
    """Keep what a file holds in another one beside it; where that is."""
    # From the disk, not from what was read: the learner may have saved meanwhile.
    data = path.read_bytes()
    number = 1
    while True:
        kept = path.with_name(f"{path.name}.{number}.bak")
        with suppress(FileExistsError):
            files.create(kept, data)
            return kept
        number += 1


def find(where: Path) -> Path:
    """Find the working copy that a path means: a file, or the only one in a folder.

    Where the folder has none, those in the folders in it count: `start` makes one for each.

    Raises:
        UserError: there is none, or there are several.

    """
    if not where.is_dir():
        return where
    there = sorted([*where.glob("*.py"), *where.glob("*.ipynb")])
    below = sorted([*where.glob("*/*.py"), *where.glob("*/*.ipynb")])
    found = _exercises(there) or _exercises(below)
    if len(found) == 1:
        return found[0]
    if found or (there and where != Path()):
        sentence = _("{path} is a folder. Give the name of a file in it, such as {file}.")
        named = enumerate_words(f"`{p}`" for p in found or there[:1])
        raise UserError(sentence.format(path=f"`{where}`", file=named))
    raise _not_ours(where)


def _exercises(paths: list[Path]) -> list[Path]:
    found = [p for p in paths if p.is_file() and is_exercise(p)]
    return [p for p in found if not _is_other_form(p, found)]


def _not_ours(path: Path) -> UserError:
    sentence = _("{path} is not an exercise of this course: `course start` makes one.")
    return UserError(sentence.format(path=f"`{path}`"))


def is_foreign(path: Path) -> bool:
    """Whether a path is a script or a notebook, and nobody's exercise."""
    is_code = path.suffix == ".py" or notebook.is_notebook(path.name)
    return is_code and path.is_file() and not is_exercise(path)


def of_lesson(folder: Path, lesson: str) -> list[Path]:
    """Find the working copies of a lesson that lie in a folder."""
    found = []
    for path in sorted([*folder.glob("*.py"), *folder.glob("*.ipynb")]):
        with suppress(UserError):
            if path.is_file() and read(path).header.lesson == lesson:
                found.append(path)
    return [p for p in found if not _is_other_form(p, found)]


def read(path: Path) -> Copy:
    """Read a working copy.

    Raises:
        UserError: it can't be read, or is none of ours, or a notebook that could not be run.

    """
    return of_content(path, decode(path))


def of_content(path: Path, content: str) -> Copy:
    """Make the working copy that a file of this content is.

    Raises:
        UserError: it is none of ours, or a notebook that could not be run.

    """
    found = None
    if notebook.is_notebook(path.name):
        found = script.of(notebook.read(content, path.name))
        content, first = found.text, header_of(found.notebook)
        if not content.isascii() and re.search("[\ud800-\udfff]", content):
            # Half of a character, which JSON can hold and no file of text.
            raise Unusable("invalid", path.name, what="`source`")
    else:
        first = header.find(content)
    lost = None
    if first is None:
        first, lost = _find_lost(path) or (None, None)
    if first is None:
        raise _not_ours(path)
    if first.format != header.FORMAT:
        raise _left_alone(_(OTHER_VERSION), path)
    if first.lesson not in lesson.ids():
        sentence = _(
            "{path} is an exercise of the lesson {lesson}, which is not installed. Install the "
            "package that contains it, name its folder in `COURSE_LESSONS`, or use a newer "
            "`course`."
        )
        raise UserError(sentence.format(path=f"`{path}`", lesson=f"`{first.lesson}`"))
    part = lesson.load(first.lesson).parts.get(first.framework)
    if part is not None and first.damaged:
        raise _left_alone(_(DAMAGED), path)
    if part is None or first.bugs is None or set(first.bugs) - {b.fault for b in part.known}:
        raise _left_alone(_(OTHER_VERSION), path)
    bugs = tuple(b for b in part.known if b.fault in first.bugs)
    return Copy(Path(path).absolute(), content, first, part, bugs, found, lost)


def decode(path: Path) -> str:
    """Read the text of a file, with its own line endings and byte-order mark.

    Raises:
        UserError: it is missing, closed to us, or no text in UTF-8.

    """
    is_notebook = notebook.is_notebook(path.name)
    cap = notebook.CAP if is_notebook else CAP
    data = user_file.read(path, cap, "train.py")
    if len(data) > cap and is_notebook:
        raise notebook.too_large(path.name)
    if len(data) > cap:
        raise user_file.too_large(path, user_file.megabytes(cap))
    try:
        content = data.decode()
    except UnicodeDecodeError:
        content = "\0"
    if "\0" in content and is_notebook:
        raise notebook.damaged(path.name, data)
    if "\0" in content:
        sentence = _("{path} is not in UTF-8. Save it as UTF-8.")
        raise UserError(sentence.format(path=f"`{path}`"))
    return content


def header_of(found: Notebook) -> Header | None:
    """Find the header of a notebook: that of its first code cell that has one."""
    sources = (cell.source for cell in found.cells if cell.kind == "code")
    return next((h for h in map(header.find, sources) if h is not None), None)


def is_exercise(path: Path) -> bool:
    """Whether a file is an exercise, by the line that all of them begin with, or as it was one."""
    with suppress(UserError):
        text = decode(path)
        if notebook.is_notebook(path.name):
            first = header_of(notebook.read(text, path.name))
        else:
            first = header.find(text)
        return first is not None or _find_lost(path) is not None
    return False


def _find_lost(path: Path) -> tuple[Header, LostHeader] | None:
    """Find the known header of a file; failing that, the one that its name suggests.

    A file that has the name of an exercise is taken for the lesson's own, with all its bugs.
    """
    known = progress.at(Path(path).absolute())
    if known is not None:
        where = (known.lesson, known.framework)
        lang = known.lang or i18n.language()
        return Header(*where, known.bugs, lang, exam=known.exam), "known"
    for name in lesson.ids():
        if path.name.startswith(f"{name}-"):
            for part in lesson.load(name).parts.values():
                if path.stem == Path(file_name(part)).stem:
                    faults = tuple(bug.fault for bug in part.bugs)
                    named = Header(part.lesson, part.framework, faults, i18n.language())
                    return named, "named"
    return None


def _is_other_form(path: Path, found: Iterable[Path]) -> bool:
    """Whether a script is paired with a notebook that was found, too: both are one exercise."""
    beside = path.with_suffix(".ipynb")
    if path == beside or beside not in found:
        return False
    metadata = notebook.read(decode(beside), beside.name).metadata
    return pairing.form(metadata) is not None


def _left_alone(sentence: str, path: Path) -> UserError:
    """Make the error for a copy that cannot be used, and what can be done."""
    again = _("The file was not changed. `course start` makes a new exercise in another folder.")
    return UserError(in_a_row(sentence.format(path=f"`{path}`", program="`course`"), again))
