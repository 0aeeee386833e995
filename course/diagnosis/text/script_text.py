"""A script as it is read: its text, its syntax tree, and what its names stand for."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from course.exercise.patch import Splice
from course_probe.reading.script_text import around, parents

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Made(NamedTuple):
    """A `name`, or an attribute as it is written, and the `value` that it is given.

    Is the value taken apart, it is given the part at this `place`.
    """

    name: str
    value: ast.expr
    place: int | None = None


@dataclass(frozen=True)
class ScriptText:
    """A script's text and its tree; `name` is that of its file."""

    name: str
    text: str
    tree: ast.Module

    @classmethod
    def read(cls, name: str, text: str) -> "ScriptText":
        """Parse a script.

        Raises:
            SyntaxError: it is not Python.
            ValueError: it holds a null byte.

        """
        return cls(name, text, ast.parse(text, name))

    @classmethod
    def of_file(cls, path: Path) -> "ScriptText | None":
        """Read a script from its file; None where it is not there, or is not Python."""
        try:
            return cls.read(path.name, path.read_text("utf-8-sig"))
        except (OSError, SyntaxError, ValueError):
            return None

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.text.split("\n"))]

    def offset(self, line: int, column: int) -> int:
        """Where a place lies in the text; `line` from 1, `column` in bytes as the parser has it."""
        start = self._starts[line - 1]
        head = self.text[start:].partition("\n")[0].encode()[:column]
        return start + len(head.decode(errors="ignore"))

    def span(
        self, node: ast.expr | ast.stmt | ast.keyword | ast.alias | ast.arg
    ) -> tuple[int, int]:
        """Start and end of a node in the text."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def code(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def edited(self, edits: Iterable[Splice]) -> str:
        """Make edits in the text, none over an earlier one; leave it if they would break it."""
        text, made = self.text, list[Splice]()
        for edit in edits:
            if all(edit[1] <= start or edit[0] >= end for start, end, _new in made):
                made.append(edit)
        for start, end, new in sorted(made, reverse=True):
            text = text[:start] + new + text[end:]
        try:
            ast.parse(text)
        except SyntaxError:
            return self.text
        return text

    def argument_spans(self, call: ast.Call) -> list[tuple[int, int]]:
        """Start and end of each argument of a call."""
        return [*map(self.span, call.args), *map(self.span, call.keywords)]

    def indent(self, statement: ast.stmt) -> tuple[int, str]:
        """Return the start of a statement's line, and the text in front of it there."""
        start, _end = self.span(statement)
        line = self.text.rfind("\n", 0, start) + 1
        return line, self.text[line:start]

    def line_after(self, statement: ast.stmt) -> int:
        """Return the start of the line behind a statement, or the end of the text."""
        _start, end = self.span(statement)
        stop = self.text.find("\n", end)
        return len(self.text) if stop < 0 else stop + 1

    def is_alone(self, statement: ast.stmt) -> bool:
        """Whether nothing else stands in the statement's lines: then it can be moved."""
        _line, before = self.indent(statement)
        _start, end = self.span(statement)
        return not before.strip() and not self.text[end:].partition("\n")[0].strip()

    def behind(self, statement: ast.stmt, code: str) -> tuple[Splice, ...]:
        """Make the edit that puts a line behind a statement; none where it shares its line."""
        _line, before = self.indent(statement)
        if before.strip():
            return ()
        at = self.line_after(statement)
        lead = "" if self.text[:at].endswith("\n") else "\n"
        return ((at, at, f"{lead}{before}{code}\n"),)

    def without(self, call: ast.Call, argument: ast.keyword) -> Splice:
        """Make the edit that takes an argument out of a call, with its comma."""
        start, end = self.span(argument)
        others = sorted(self.argument_spans(call))
        at = others.index((start, end))
        if at:
            return (others[at - 1][1], end, "")
        return (start, others[1][0] if len(others) > 1 else end, "")

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return parents(self.tree)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes that a node is in, the innermost first."""
        return around(node, self._parents)

    def statement_of(self, node: ast.expr) -> ast.stmt:
        """Find the statement that an expression is in."""
        return next(each for each in self.around(node) if isinstance(each, ast.stmt))

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """Find the statements of one indent that a statement is among."""
        outer = self._parents[statement]
        blocks = (getattr(outer, name, []) for name in ("body", "orelse", "finalbody"))
        return next(block for block in blocks if statement in block)

    def has_name(self, pattern: re.Pattern[str]) -> bool:
        """Whether a variable, attribute, function or argument has this in its name."""
        keys = "id", "attr", "name", "arg"
        names = (getattr(node, key, None) for node in ast.walk(self.tree) for key in keys)
        return any(isinstance(name, str) and pattern.search(name) for name in names)

    def statement_at(self, line: int) -> ast.stmt | None:
        """Find the innermost statement in a line; of one with a body only its head is meant."""
        found: ast.stmt | None = None
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.stmt) or not node.lineno <= line <= (node.end_lineno or 0):
                continue
            if found is None or node.lineno >= found.lineno:
                found = node
        return found

    @cached_property
    def imported(self) -> dict[str, str]:
        """What a name that an import binds stands for: `np` for `numpy`."""
        found: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    found[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return found

    def qualified(self, node: ast.expr | None) -> str:
        """Return the dotted name of an expression with its imports followed; else an empty text."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.imported.get(node.id, node.id), *reversed(parts)])

    def functions(self, *names: str) -> list[Function]:
        """List the functions and methods of these names; all of them, where none is given."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, Function)]
        return [node for node in found if not names or node.name in names]

    def calls(self, within: ast.AST | None = None) -> Iterator[tuple[str, ast.Call]]:
        """Every call with the qualified name of what is called, in the order of the text."""
        found = [node for node in ast.walk(within or self.tree) if isinstance(node, ast.Call)]
        found.sort(key=lambda call: (call.lineno, call.col_offset))
        return ((self.qualified(call.func), call) for call in found)

    @cached_property
    def made(self) -> list[Made]:
        """What names and attributes are given, anywhere in the script, in its order."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    found += list(_given(target, node.value))
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                found += list(_given(node.target, node.value))
        return sorted(found, key=lambda made: made.value.lineno)

    @cached_property
    def assigned(self) -> dict[str, list[ast.expr]]:
        """The values that are given to each plain name, those that are not taken apart."""
        found: dict[str, list[ast.expr]] = {}
        for made in self.made:
            if made.place is None and "." not in made.name:
                found.setdefault(made.name, []).append(made.value)
        return found

    def value_of(self, node: ast.expr | None) -> ast.expr | None:
        """Return an expression, or the value of a name that is given a value just once."""
        if isinstance(node, ast.Name):
            values = self.assigned.get(node.id, [])
            return values[0] if len(values) == 1 else node
        return node


def _given(target: ast.expr, value: ast.expr, place: int | None = None) -> Iterator[Made]:
    if isinstance(target, ast.Name | ast.Attribute):
        yield Made(ast.unparse(target), value, place)
    elif isinstance(target, ast.Tuple | ast.List):
        parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        for number, each in enumerate(target.elts):
            if len(parts) == len(target.elts):
                yield from _given(each, parts[number])
            else:
                yield from _given(each, value, number)


def has_unpacking(call: ast.Call) -> bool:
    """Whether a call is given arguments that the text does not show (`*a`, `**b`)."""
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    return starred or any(each.arg is None for each in call.keywords)
