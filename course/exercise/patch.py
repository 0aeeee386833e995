"""Taking a bug out of the learner's own text, which need not look like ours any more.

Places are found by tokens: spaces, line breaks, comments, quotes and trailing commas make no
difference, and what is in a comment or a string is never taken for code. Only the tokens that
differ are replaced, and the result counts only if it is the same code in all but these.
"""

import ast
import functools
import io
import re
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile
from typing import Literal

from course.lesson.bug import Bug, BugPlaces, Edit, PlaceText

PatchReason = Literal["syntax", "not-found", "several"]
Splice = tuple[int, int, str]
"""Start and end of a stretch of text, and what to put there."""
OPENING, CLOSING = {"(", "[", "{"}, {")", "]", "}"}
BREAK = re.compile(r"(?:\r\n|\r|\n)")
COMMA = re.compile(r"(?:\s|\\|#[^\r\n]*+)*+,")
COMMENT = re.compile(r"[ \t]*#[^\r\n]*")


class CannotPatch(Exception):
    """The text does not parse, or a place is not found, or several are.

    `line` is that of the syntax error or of the first of several places; `edit` did not fit.
    """

    def __init__(
        self, reason: PatchReason, line: int | None = None, edit: Edit | None = None
    ) -> None:
        super().__init__(reason, line, edit)
        self.reason = reason
        self.line = line
        self.edit = edit


@dataclass(frozen=True)
class Token:
    """A token of code; `key` is the same in all the ways to write it.

    `depth` is the number of brackets around it. A statement `starts` with it; in a fragment, a
    line.
    """

    key: str
    start: int
    end: int
    depth: int
    starts: bool


@dataclass(frozen=True)
class TokenEdit:
    """An edit by tokens: `buggy[head:old]` is to become `healthy[head:new]`.

    `added` are the elements that a list gets, where that is all. Where `listed`, it ends with
    an element of a list, whatever follows in the list.
    """

    edit: Edit
    buggy: list[Token]
    healthy: list[Token]
    head: int
    old: int
    new: int
    added: list[Token]
    listed: bool


def take_out(text: str, bug: Bug) -> str:
    """Take this bug out of the text, or leave it where the learner has mended every place.

    Raises:
        CannotPatch: the text does not parse, or a place is not found exactly once.

    """
    code = text.removeprefix("\ufeff")
    mark = text[: len(text) - len(code)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # An odd escape in the learner's text is not our business.
        if fault := _fault(code):
            raise CannotPatch("syntax", getattr(fault, "lineno", None)) from fault
        patched = code
        for change in map(_change, bug.edits):
            try:
                patched = _apply(patched, change)
            except CannotPatch:
                _apply(code, change)  # If it can say so, the line is one of the learner's text.
                raise
    return mark + patched


def places(text: str, bugs: Iterable[Bug]) -> BugPlaces:
    """Classify a learner's text at each place of these bugs; empty if it does not parse."""
    code = text.removeprefix("\ufeff")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if _fault(code):
            return {}
        return {bug.fault: tuple(_stands(code, edit) for edit in bug.edits) for bug in bugs}


def _stands(text: str, edit: Edit) -> PlaceText:
    try:
        return "healthy" if _apply(text, _change(edit)) == text else "buggy"
    except CannotPatch as why:
        return "buggy" if why.reason == "several" else "changed"


@functools.lru_cache(maxsize=8)
def _fault(text: str) -> SyntaxError | ValueError | None:
    """Return Python's error in a text; `ast.parse` lets pass a keyword argument given twice."""
    try:
        compile(text, "<exercise>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return error
    return None


def _apply(text: str, change: TokenEdit) -> str:
    tokens = _tokens(text)
    places = _places(tokens, change.buggy, change)
    mended = _places(tokens, change.healthy, change)
    # Where something is added, the buggy tokens stand within the healthy ones.
    longer = len(change.healthy) - len(change.buggy)
    wrong = [
        at
        for at in places
        if not any(m <= at <= m + longer for m in mended) and not _elsewhere(tokens, at, change)
    ]
    if not wrong and (places or mended):
        return text
    exact = [at for at in wrong if _exact(text, tokens[at], change)]
    chosen = exact if len(exact) == 1 else wrong
    if len(chosen) > 1:
        line = len(BREAK.findall(text[: tokens[chosen[0]].start])) + 1
        raise CannotPatch("several", line, change.edit)
    usual = Counter(BREAK.findall(text) or ["\n"]).most_common(1)[0][0]
    for at in chosen:
        splices = _exact(text, tokens[at], change) or _splices(text, tokens, at, change)
        first = tokens[at + change.head]
        whole = tokens[at].starts and tokens[at + len(change.buggy)].starts
        if any("\n" in splice[2] for splice in splices) and not (
            whole or first.depth or first.key in CLOSING
        ):
            break  # Something else stands on these lines.
        for start, end, new in splices:
            text = text[:start] + new.replace("\n", usual) + text[end:]
        keys = _keys(tokens)
        keys[at + change.head : at + change.old] = _keys(change.healthy[change.head : change.new])
        if not _fault(text) and _keys(_tokens(text)) == keys:
            return text
    raise CannotPatch("not-found", None, change.edit)


@functools.lru_cache(maxsize=64)  # One text is asked about each bug of its exercise.
def _tokens(text: str, fragment: bool = False) -> list[Token]:
    """Split code into tokens, without trailing commas; a whole text ends with an empty one."""
    # Within brackets a fragment may be indented as it likes, and close what it has not opened.
    lead = "(" * (1 + sum(map(text.count, CLOSING))) if fragment else ""
    lines = list(io.StringIO(lead + text, newline=""))
    begins = list(accumulate(map(len, lines), initial=-len(lead)))
    newline_ended = (line.rstrip("\r\n") + "\n" for line in lines)
    tokens: list[Token] = []
    starts, depth, parts, begin = True, 0, 0, 0
    try:
        for info in tokenize.generate_tokens(lambda: next(newline_ended, "")):
            kind, key = tokenize.tok_name[info.type], info.string
            start, end = (begins[row - 1] + column for row, column in (info.start, info.end))
            # Since Python 3.12 an f-string comes in parts, some of them f-strings again.
            if kind.endswith("STRING_START"):
                begin = begin if parts else start
                parts += 1
            elif kind.endswith("STRING_END"):
                parts -= 1
                kind, start = "STRING", begin
            if parts or kind in {"COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT"}:
                starts = starts or kind == "NEWLINE" or (fragment and kind == "NL")
                continue
            if kind == "STRING":
                key = ast.dump(ast.parse(text[start:end]))
            if key in CLOSING:
                depth -= 1
                if tokens and tokens[-1].key == ",":
                    del tokens[-1]
            if start >= 0:
                tokens.append(Token(key, start, end, depth, starts))
                starts = False
            depth += key in OPENING
    except tokenize.TokenError:
        pass  # A bracket is never closed, as is usual in a fragment.
    return tokens


def _keys(tokens: list[Token]) -> list[str]:
    return [token.key for token in tokens]


@functools.cache  # The edits are those of the lessons.
def _change(edit: Edit) -> TokenEdit:
    buggy, healthy = (list(_tokens(text, fragment=True)) for text in (edit.buggy, edit.healthy))
    old, new = _keys(buggy), _keys(healthy)
    head = _shared(old, new)
    # A keyword argument that is added at the end may as well come before others.
    named = new[head : head + 1] == [","] and new[head + 2 : head + 3] == ["="]
    named = named and head == len(old) - 1 and old[-1] in CLOSING
    listed = old[-1:] == new[-1:] and (named or old[-1:] == [","])
    if listed:
        del buggy[-1], healthy[-1], old[-1], new[-1]
        head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    if head > 1 and head + tail == len(old) and old[head - 1] == new[-tail - 1] == ",":
        head, tail = head - 1, tail + 1  # `a, [c,] b` is `a[, c], b`.
    added = healthy[head : len(new) - tail] if head + tail == len(old) else []
    commas = [token.key == "," for token in added]
    added = added[1:] if any(commas[:1]) else added[:-1] if any(commas[-1:]) else []
    return TokenEdit(edit, buggy, healthy, head, len(old) - tail, len(new) - tail, added, listed)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items two sequences have in common before they differ."""
    return sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(one, other, strict=False)))


def _places(tokens: list[Token], wanted: list[Token], change: TokenEdit) -> list[int]:
    """Where these tokens stand; where a statement begins among them, so must a line of theirs."""
    size = len(wanted)
    return [
        at
        for at in range(len(tokens) - size)
        if wanted
        and all(
            t.key == w.key and (w.starts or not t.starts)
            for t, w in zip(tokens[at : at + size], wanted, strict=True)
        )
        # What is indented begins a line of ours, so it is no part of a longer expression.
        and (_begins(tokens, at) or not wanted[0].start)
        and (_ends(tokens, at + size) or not change.listed)
    ]


def _begins(tokens: list[Token], at: int) -> bool:
    """Whether a statement or an element of a list begins with this token."""
    return tokens[at].starts or tokens[at - 1].key in {",", "import", *OPENING}


def _ends(tokens: list[Token], at: int) -> bool:
    """Whether an element of a list has ended before this token."""
    if tokens[at].starts:
        return isinstance(_list(tokens, at - 1), str)
    return tokens[at].key in {",", *CLOSING}


def _list(tokens: list[Token], at: int) -> str | int:
    """Find the list that this token is in: its import's beginning, or its opening bracket."""
    first = max(i for i in range(at + 1) if tokens[i].starts)
    keys = _keys(tokens[first:at])
    if keys[:1] in (["from"], ["import"]):
        return " ".join(keys[: keys.index("import") + 1])
    return max((i for i in range(first, at) if tokens[i].depth < tokens[at].depth), default=-1)


def _elsewhere(tokens: list[Token], at: int, change: TokenEdit) -> bool:
    """Whether the import or the keyword argument to add is in the same list, in another place."""
    wanted = _keys(change.added)
    if not wanted:
        return False
    home = _list(tokens, at + change.head - (change.healthy[change.head].key == ","))
    return (isinstance(home, str) or "=" in wanted[1:2]) and any(
        _keys(tokens[i : i + len(wanted)]) == wanted
        and _begins(tokens, i)
        and _ends(tokens, i + len(wanted))
        and _list(tokens, i) == home
        for i in range(len(tokens) - len(wanted))
    )


def _exact(text: str, first: Token, change: TokenEdit) -> list[Splice]:
    """Make the splices where the text and the indentation of its lines match to the letter."""
    old, new = change.edit.buggy, change.edit.healthy
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    parts = old[:head], old[head : len(old) - tail], old[len(old) - tail :]
    pattern = "".join(f"({re.escape(part)})" for part in parts).replace("\\\n", BREAK.pattern)
    start = first.start - change.buggy[0].start
    found = re.compile(pattern).match(text, start)
    if not found or ("\n" in new and BREAK.split(text[:start])[-1][:1].isspace()):
        return []
    return [(*found.span(2), new[head : len(new) - tail])]


def _splices(text: str, tokens: list[Token], at: int, change: TokenEdit) -> list[Splice]:
    """Make the splices, from the last place to the first; none where they would not be sound."""
    if change.added:
        return _added(text, tokens, at + change.head, change)
    head, old, new = change.head, change.old, change.new
    # What only comes in, or only goes, takes a neighbour along, for the space between them.
    if head in (old, new) and old < len(change.buggy):
        old, new = old + 1, new + 1
    elif head in (old, new) and head:
        head -= 1
    gone, come = tokens[at + head : at + old], change.healthy[head:new]
    if any("#" in text[a.end : b.start] for a, b in pairwise(gone)):
        return []  # The learner's comment would go as well.
    piece = _piece(change, come, _margin(text, gone[0].start)[0])
    line, _break, below = piece.partition("\n")
    comment = COMMENT.match(text, gone[-1].end)
    if comment and below:
        end = comment.end()
        return [(end, end, "\n" + below), (gone[0].start, gone[-1].end, line)]
    return [(gone[0].start, gone[-1].end, piece)]


def _added(text: str, tokens: list[Token], at: int, change: TokenEdit) -> list[Splice]:
    """How to add to a list: after the element that ends before this token, or else before it."""
    after = change.healthy[change.head].key == ","
    first = at - 1 if after else at
    depth = tokens[first].depth
    while tokens[first].depth > depth or not _begins(tokens, first):
        first -= 1
    margin, leads = _margin(text, tokens[first].start)
    piece = _piece(change, change.added, margin)
    gap = "\n" + margin if leads and depth else " "
    if not after:
        return [(tokens[at].start, tokens[at].start, f"{piece},{gap}")]
    end = tokens[at - 1].end
    comma = COMMA.match(text, end)
    place = comma.end() if comma else end
    following = tokens[at + 1] if tokens[at].key == "," else tokens[at]
    if following.key not in CLOSING and not BREAK.search(text, place, following.start):
        gap = " "
    comment = COMMENT.match(text, place)
    if comment and gap != " ":
        place = comment.end()
    if comma:
        return [(place, place, f"{gap}{piece},")]
    return [(place, place, f"{gap}{piece}"), (end, end, ",")]


def _piece(change: TokenEdit, tokens: list[Token], margin: str) -> str:
    """Make a piece of the healthy text, its lines moved to another margin."""
    if not tokens:
        return ""
    source, start = change.edit.healthy, tokens[0].start
    return source[start : tokens[-1].end].replace("\n" + _margin(source, start)[0], "\n" + margin)


def _margin(text: str, at: int) -> tuple[str, bool]:
    """Return the indentation of a line, and whether it is all that stands there before this."""
    line = BREAK.split(text[:at])[-1]
    margin = line[: len(line) - len(line.lstrip())]
    return margin, margin == line
