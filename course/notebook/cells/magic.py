"""What IPython understands and Python does not: magics, shell lines, questions.

https://ipython.readthedocs.io/en/stable/interactive/magics.html. Nothing of it is run here. A line
becomes Python that does as much of it as counts for what a run shows, in the same place and in one
line, so that what is left keeps its numbers.
"""

import ast
import io
import re
import tokenize
import warnings
from dataclasses import dataclass

from course.base.texts import load_table

_NAMES = {kind: frozenset(names.split()) for kind, names in load_table("magics").items()}
TIMED, WITHOUT_EFFECT = _NAMES["timed"], _NAMES["without-effect"]
OTHER_LANGUAGES = _NAMES["other-languages"]
QUIET = WITHOUT_EFFECT - _NAMES["reported"]
"""Those whose absence is not reported."""
PATIENCE = 250_000
"""Characters that are read again to see where statements begin: only a bomb needs more."""
_MAGIC = re.compile(r"(?P<indent>\s*)%(?P<name>[A-Za-z_][\w.]*|!)?(?P<rest>.*)", re.DOTALL)
_OPTIONS = re.compile(r"\A(?:\s+-\w(?:\s*\d+)?)*\s*")
_SET = re.compile(r"\s*(?P<name>\w+)\s*(?:=|\s)\s*(?P<value>[^\s{}$][^{}$]*?)\s*")
_ASSIGNED = re.compile(r"\s*[\w.,\[\]\s()*'\"]+=\s*(?:!|%[A-Za-z])")


class Unknown(Exception):
    """A line that is no Python and no magic that is known; or one whose result is used.

    `line` is the text, `used` whether it is known and only its result can't be had.
    """

    def __init__(self, line: str, *, used: bool = False) -> None:
        super().__init__(line)
        self.line = line.strip()
        self.used = used


@dataclass(frozen=True)
class PlainPython:
    """The lines of a cell as Python, as many as there were; and those that are not run."""

    lines: tuple[str, ...]
    left_out: tuple[str, ...] = ()


def lines(source: str) -> list[str]:
    """Return the lines of a cell, as Python counts them: a form feed ends none."""
    found = re.split(r"\r\n|\r|\n", source)
    return found[:-1] if found[-1] == "" else found


class Patience:
    """What may yet be read again to see where the statements of one notebook begin."""

    def __init__(self) -> None:
        self._left = PATIENCE

    def spend(self, characters: int, line: str) -> None:
        """Use up some of it.

        Raises:
            Unknown: there is none left.

        """
        self._left -= characters
        if self._left < 0:
            raise Unknown(line)


def to_python(source: str, patience: Patience | None = None) -> PlainPython:
    """Turn a cell into Python; `patience` is that of its notebook.

    Raises:
        Unknown: a magic is not known, or the result of one is used.

    """
    found = lines(source)
    if _parses(source):
        return PlainPython(tuple(found))
    first = next((n for n, line in enumerate(found) if line.strip()), 0)
    if found[first].startswith("%%"):
        return _whole(found, first, patience or Patience())
    return _by_lines(found, patience or Patience())


def _whole(cell: list[str], first: int, patience: Patience) -> PlainPython:
    """Translate a cell with cell magics: their lines go, and the rest too if it is no Python."""
    lead = cell[:first]
    for number in range(first, len(cell)):
        name = re.match(r"%%(!|[\w.]*)", cell[number])
        if name is None and cell[number].strip():
            rest = _by_lines(cell[number:], patience)
            return PlainPython((*lead, *rest.lines), rest.left_out)
        if name is not None and name[1] in OTHER_LANGUAGES:
            lines = (*lead, *map(_comment, cell[number:]))
            return PlainPython(lines, (cell[number].strip(),))
        if name is not None and name[1] not in TIMED:
            raise Unknown(cell[number])
        lead.append(_comment(cell[number]) if name is not None else cell[number])
    return PlainPython(tuple(lead))


def _by_lines(cell: list[str], patience: Patience) -> PlainPython:
    done: list[str] = []
    left_out: list[str] = []
    more = False
    # Where the statement began that a line may be a part of.
    since = 0
    for line in cell:
        if more:
            # A shell line goes on as long as lines end with a backslash.
            done.append(_comment(line))
        elif _may_be_ipython(line):
            before = "\n".join(done[since:])
            patience.spend(len(before), line)
            if not _begins(before):
                done.append(line)
                continue
            python, missed = _line_to_python(line)
            done.append(python)
            left_out += [line.strip()] if missed else []
            since = len(done)
        else:
            done.append(line)
            continue
        more = line.rstrip().endswith("\\")
    return PlainPython(tuple(done), tuple(left_out))


def _may_be_ipython(line: str) -> bool:
    """Whether a line may be IPython's: whether it is, depends on where it stands."""
    text = line.strip()
    return (
        text.startswith(("%", "!", "?"))
        or (text.endswith("?") and not text.startswith("#"))
        or _ASSIGNED.match(line) is not None
    )


def _line_to_python(line: str) -> tuple[str, bool]:
    """Return a line as Python, and whether something is missed by it."""
    text = line.strip()
    indent = line[: len(line) - len(line.lstrip())]
    if _ASSIGNED.match(line):
        raise Unknown(line, used=True)
    if text.startswith("!"):
        return f"{indent}pass  # {text}", True
    if text.startswith("?") or text.endswith("?"):
        return f"{indent}pass  # {text}", False
    magic = _MAGIC.fullmatch(line)
    name, rest = (magic["name"] or "", magic["rest"]) if magic else ("", "")
    if name in TIMED:
        return indent + _OPTIONS.sub("", rest, count=1), False
    if name in ("env", "set_env"):
        setting = _SET.fullmatch(rest)
        if setting:
            key, value = setting["name"], setting["value"]
            return f"{indent}import os; os.environ[{key!r}] = {value!r}", False
    if name not in WITHOUT_EFFECT:
        raise Unknown(line)
    return f"{indent}pass  # {text}", name not in QUIET


def _comment(line: str) -> str:
    return f"# {line}"


def _begins(before: str) -> bool:
    """Whether a new statement can begin after these lines: no bracket and no string is open."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(before + "\n").readline):
            if token.type == tokenize.ERRORTOKEN and token.string in "'\"":
                return True
    except tokenize.TokenError:
        return False
    except (IndentationError, SyntaxError):
        pass
    return not before.rstrip(" \t").endswith("\\")


def _parses(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
