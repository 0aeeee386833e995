"""Plain lines of whatever was pasted: without colours, prefixes, quote marks and wrappings."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

MOST = 4_000_000
"""Characters that are read of a text: its end, since an error is what ends a log."""
WIDEST = 20_000
"""Characters of a line that are read."""
HEADER = "Traceback (most recent call last)"
_COLOUR = re.compile(
    r"(?:\x1b|\\u001b|\\x1b|\\033)\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b."
    # Where the escape itself was lost on the way.
    r"|\[\d{1,3}(?:;\d{1,3})*m"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\ufeff]"
)
_EMPTY = re.compile(r"\n{4,}")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\((?:https?|file|vscode[\w-]*):[^)\n]{0,600}\)")
"""A path or a number that a notebook has made a link of."""
_ENTITY = re.compile(r"&(?:lt|gt|quot|apos|amp|nbsp|#\d{1,5}|#x[\da-fA-F]{1,4});")
"""A sign as a web page writes it."""
_QUOTES = str.maketrans("‘’“”\xa0", "''\"\" ")
"""Signs that a word processor or a forum has put in the place of others."""
_JOINED = re.compile(
    r"(?<=\S) (?=File \"[^\"]+\", line \d+, in )"
    r"|(?<=\S) (?=(?:\w+\.)*[A-Z]\w*(?:Error|Exception): (?!.*File \"))"
)
"""Where the lines of a traceback began that a form has made one line of."""
_RAISED = re.compile(r"(?<= )(raise (\w+)\() (?=(?:\w+\.)*\2: )")
"""Where the message began that a form has put behind the line that raised it."""
_OCCURRED = re.compile(
    r"^Exception has occurred: ([\w.]+)[^\n]*\n(\S[^\n]*)\n((?:[ \t]+\S[^\n]*(?:\n|\Z))+)"
    r"(?:\1: [^\n]*(?:\n|\Z))?",
    re.M,
)
"""What a debugger has stopped at: the class, the message, and the frames below them."""
_STOPPED_AT = re.compile(r"^Exception has occurred: ([\w.]+)[^\n]*\n(?=\S)", re.M)
"""The same without frames, or with more lines of a message."""
_TIME = (
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d| UTC)?\]?[ \t]?"
    r"|\d\d?:\d\d:\d\d(?:[.,]\d+)?[ \t]|\d+(?:\.\d+)?s[ \t]+\d+[ \t]"
    r"|[A-Z][a-z]{2} +\d\d? \d\d:\d\d:\d\d(?:, \d{4}, \d\d?:\d\d:\d\d [AP]M\t)? ?"
    r"|[EWIF]\d{4} \d\d:\d\d:\d\d(?:\.\d+)? +\d+ [^\]]*\] ?"
)
_LEVEL = (
    r"\[?(?:ERROR|WARNING|INFO|CRITICAL|DEBUG|FATAL|STDERR|stderr|STDOUT|stdout)\]?"
    r"(?::[\w.]+:|[ \t]*[:|\]][ \t]?|[ \t]+-[ \t]| {2,}(?! *\S*Traceback))"
)
_RANK = (
    r"\[(?:rank|default|RANK)[ :]{0,2}(?P<rank>\d+)\](?::\[[^\]]*\])?:? ?"
    r"|\[\d+,(?P<mpi>\d+)\]<std(?:err|out)>: ?|\[(?P<number>\d{1,4})\]: "
    r"|(?:rank|Rank|RANK)[ _:=]?(?P<word>\d+)\]?[ ]?[:|] ?"
    r"|\([\w.<>()-]+ pid=(?P<pid>\d+)[^)]{0,80}\) ?"
)
_PREFIX = re.compile(rf"(?:{_TIME}|{_LEVEL}|{_RANK}|>(?!>>)[ \t]?|[│┃][ \t]?)")
_GROUP = re.compile(r"[ \t]*[|+](?=[ +|-])(?:[-+| ](?![-+| ]*\Z)|[-+|])*(?: \d+ )?[-+ ]*")
_DOCUMENT = re.compile(r"[\[,\s]*\{.*\"(?:data|log|message|msg|text|error|traceback|exc_info)\"")
_KEYS = ("data", "log", "message", "msg", "text", "error", "traceback", "exc_info")
PREFIXES = 6
"""Prefixes that a line may have one behind the other."""


@dataclass(frozen=True)
class PlainLine:
    """A line without its prefixes; `source` is who wrote it where several did, such as a rank.

    `stamped` is whether it had the prefixes of a log.
    """

    text: str
    source: str = ""
    stamped: bool = False


def decode(raw: bytes) -> str:
    """Decode a file in whatever encoding a system writes logs; other bytes are replaced."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace")
    return raw.decode("utf-8", "replace")


def lines(text: str) -> list[PlainLine]:
    """All lines of a text, plain."""
    if len(text) > MOST:
        text = text[-MOST:].partition("\n")[2]
    if _ENTITY.search(text):
        text = html.unescape(text)
    text = _EMPTY.sub("\n\n\n", text)
    if "Exception has occurred: " in text:
        text = _OCCURRED.sub(rf"{HEADER}:\n\3\n\1: \2\n", text)
        text = _STOPPED_AT.sub(r"\1: ", text)
    plain = [_plain(each[:WIDEST]) for each in _unwrapped(text)]
    own = _templates(plain)
    grouped = any("Exception Group Traceback" in each for each in plain)
    return [_line(each, own, grouped) for each in plain]


def _plain(line: str) -> str:
    line = _COLOUR.sub("", line).translate(_QUOTES)
    return _LINK.sub(r"\1", line) if "](" in line else line


def _unwrapped(text: str) -> Iterator[str]:
    """Yield the lines of a text, those of a notebook's outputs, or those within a log's JSON."""
    if text.lstrip()[:1] == "{" and '"cells"' in text:
        inner = _load(text)
        if isinstance(inner, dict) and isinstance(inner.get("cells"), list):
            yield from _outputs(inner["cells"])
            return
    for line in text.replace("\r\n", "\n").split("\n"):
        if "\r" in line:
            # What a progress bar has written over.
            line = next((part for part in reversed(line.split("\r")) if part.strip()), "")
        if _DOCUMENT.match(line):
            inner = _load(line.strip().lstrip("[,").rstrip(",]"))
            if isinstance(inner, dict):
                yield from _values(inner)
                continue
        if line.count("\\n") > 1 and (HEADER in line or 'File \\"' in line or 'File "' in line):
            yield from line.replace("\\n", "\n").replace('\\"', '"').split("\n")
        elif line.count(", line ") > 1 and len(line) <= WIDEST:
            yield from _JOINED.sub("\n", line).split("\n")
        elif "( " in line and len(line) <= WIDEST:
            yield from _RAISED.sub(r"\1\n", line).split("\n")
        else:
            yield line


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _values(record: dict[str, Any]) -> Iterator[str]:
    """Yield the lines in one record of a log."""
    for key in _KEYS:
        value = record.get(key)
        if isinstance(value, list):
            value = "\n".join(str(each) for each in value)
        if isinstance(value, str):
            yield from value.rstrip("\n").replace("\r\n", "\n").split("\n")


def _outputs(cells: list[Any]) -> Iterator[str]:
    """Yield the errors that a notebook file keeps, and the printed text of its cells."""
    for cell in cells:
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        for output in outputs if isinstance(outputs, list) else []:
            if isinstance(output, dict):
                found = output.get("traceback") or output.get("text") or []
                parts = found if isinstance(found, list) else [found]
                joint = "\n" if "traceback" in output else ""
                yield from joint.join(map(str, parts)).split("\n")


def _templates(found: Iterable[str]) -> re.Pattern[str] | None:
    """Return the prefixes of traceback headers in this very text, with any numbers."""
    shapes: dict[str, None] = {}
    for line in found:
        at = line.find(HEADER)
        if at > 0 and len(shapes) < 8:
            before = _bare(line[:at])
            if before.strip(" +|") and not re.match(
                r"[-\s]*[\w.]+\s+\Z|.*[\"'(]|Original|.*Group|[\w.]*(?:Error|Exception): \Z", before
            ):
                shape = re.sub(r"\d+", r"\\d+", re.escape(before[:80].rstrip()))
                shapes[f"{shape}[ \t]?"] = None
    return re.compile("|".join(shapes)) if shapes else None


def _bare(text: str) -> str:
    """Return a text without the prefixes that all logs have."""
    for _ in range(PREFIXES):
        found = _PREFIX.match(text)
        if found is None:
            break
        text = text[found.end() :]
    return text


def _line(text: str, own: re.Pattern[str] | None, grouped: bool) -> PlainLine:
    sources, stamped = [], False
    for _ in range(PREFIXES):
        found = _PREFIX.match(text)
        if found is None and own is not None:
            found = own.match(text)
            if found is not None and found.end():
                sources.append(found.group().strip())
        if found is None or not found.end():
            break
        if found.re is _PREFIX:
            sources += [value for value in found.groupdict().values() if value]
        stamped = stamped or found.group()[:1] not in ">│┃"
        text = text[found.end() :]
    if grouped:
        inner = _GROUP.match(text)
        text = text[inner.end() :] if inner is not None else text
    return PlainLine(text.rstrip().rstrip("│┃").rstrip(), " ".join(sources), stamped)
