"""The exceptions in a text, each with its frames, in the order in which they matter.

Of a chain the cause comes first, not what was printed last; a program that only tells of another's
failure (a launcher, a worker's parent) comes behind it. What is read is held loosely: people cut
tracebacks at either end, and mail them through systems that take off the indent.
"""

import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from course.judge.tracebacks import frame as frames
from course.judge.tracebacks import plain_words
from course.judge.tracebacks import text as texts
from course.judge.tracebacks.frame import QuotedFrame
from course.judge.tracebacks.text import PlainLine
from course_probe.exception_report import ASSERTED, LATE

MESSAGE_LINES = 60
"""Lines of a message that are read."""
TRACED_LINES = 600
"""Lines of a message that holds a traceback of its own."""
SHORT = 12
"""Lines of a text that may be a message without the name of its class."""
_HEADER = re.compile(r"raceback \(most recent call (?:last|first)\)|Traceback:?\Z")
_EARLY = re.compile(r"\s*([A-Za-z_][\w.]*)\s+Traceback \(most")
_NATIVE = re.compile(
    r'\s*(?:\^?\s*)File "(?P<file>[^"]+)", line (?P<line>\d+)'
    r"(?:, in (?P<function>[\w.<>]+)(?P<code> .*)?)?"
)
_MODERN = re.compile(
    r"\s*File (?P<file>\S.*?\.pyx?|<[^>]+>|[^\s\"]+):(?P<line>\d+)"
    r"(?:, in (?P<function>[\w.<>]+).*|[,()].*)?\Z"
)
_CELL = re.compile(
    r"\s*(?P<file>(?:Cell |Input )?In ?\[\d*\])(?:, (?:line (?P<line>\d+)|in )|:(?P<second>\d+))"
    r"(?:, in )?(?P<function>[\w.<>]+)?.*"
)
_OLD = re.compile(
    r"\s*(?P<file><ipython-input-[^>]+>|(?:[~/.]|[A-Za-z]:[\\/])\S*?(?:\.pyx?|\d+\.py)"
    r"|[A-Za-z]:[\\/][^:\"<>|]{0,240}?\.pyx?(?= in )"
    r"|[\w.-]+[\\/]\S*\.py|(?=in <(?:module|cell)))"
    r"(?::(?P<line>\d+))?(?:,? ?in(?: +(?P<function>[\w.<>]+).*)?| +(?P<traced>\w+)  \*+|:?)\s*\Z"
)
_CALLED = re.compile(
    r"\s*(?P<function>[\w.<>]+) \((?P<file>[^()\"<>|]{1,240}?\.pyx?|<[^<>]{1,80}>)"
    r":(?P<line>\d+)\)\Z"
)
"""As a debugger shows whose turn it is."""
_TESTED = re.compile(
    r"(?P<file>[^\s:\"]+\.py):(?P<line>\d+): (?:in (?P<function>\w+)|\w+(?:Error)?\Z)"
)
_ARROW = re.compile(r"\s*(?:-{1,6}>|❱)\s*(?P<line>\d+)\s?[│|]?\s?(?P<text>.*)")
_NUMBERED = re.compile(r"\s*\d+\s?(?:[│|]?\s.*)?\Z")
MODULE = "<module>"
_LAUNCHERS = re.compile(
    r"(?:runpy|importlib|_frozen|frozen|IPython|ipykernel|debugpy|_?pydev|spyder|code|bdb|pdb|exec"
    r"|multiprocess|concurrent|streamlit|_pytest|pytest|fire|hydra)"
)
"""Modules whose functions run a script or import a file."""
_MARKS = re.compile(r"[\s~^]+\Z")
_CLASS = r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*"
_KNOWN = (
    r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]*(?:Error|Exception|Warning|KeyboardInterrupt|SystemExit"
    r"|StopIteration|OfflineModeIsEnabled|ArrowInvalid|ArrowNotImplemented|ExceptionGroup"
    r"|VersionConflict|BadZipFile|BackendCompilerFailed|ReadTimeout|ConnectTimeout|ConfigKeyNotFound|EntryNotFound|NotFound|TimeoutExpired)"
)
_SEE = r"(?: \(see above for traceback\))?"
_RAISED = re.compile(rf"(?:E {{2,}})?({_CLASS})(?:\((\w+)\))?{_SEE}(?: ?: ?(.*))?\Z")
_ALONE = re.compile(
    rf"(?:E {{2,}}|[^\w\"'`]{{0,4}})({_KNOWN})(?:\((\w+)\))?{_SEE}(?: ?[:：] ?(.*)|\s*\Z)"
)
_INSIDE = re.compile(rf"(?<![\w.:])({_KNOWN}) ?[:：](?!:) ?(\S.*)")
_SMALL = re.compile(r"(?i)(?<![\w.:])([a-z]+(?:error|exception)) ?: ?(\S.*)")
"""The same in other letters, as whoever quotes by heart may write it: `keyerror: loss`."""
_PYTHONS = {name.lower(): name for name in dir(builtins) if name.endswith(("Error", "Exception"))}
_OTHER_LETTERS = re.compile(r"[\u0400-\u04ff\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]+")
_OF_SYSTEM = re.compile(r"\[(?:Win[Ee]rror|Errno) -?\d+\]")
"""What the system says, it says in the language of its user."""
_DURING = "uring handling of the above exception, another exception occurred"
_CAUSED = "he above exception was the direct cause of the following exception"
_RULE = re.compile(r"(?:\d+ )?[-=*_~─╭╰+]{8,}")
_AFTER = re.compile(
    r"```|Traceback|Original Traceback|wandb:|srun:|slurmstepd|Process finished|Aborted"
    r"|terminate called"
    r"|Exception ignored|\[?[A-Za-z0-9_.-]+@[\w.-]+[: ]|\(\w+\) \S*[$#>]|[$%] |>>> |In \[\d+\]:"
    r"|\s*\d+%\||Killing subprocess|Sentry|Failures?:|Root Cause|E\d{4} |\*{5}|Process \S+:\Z"
    r"|[\"'}\])]{1,6},?\Z|python-BaseException|During handling|The above exception"
    r"|Caused by|NOTE:|--- |Stack trace|Exception in thread"
)
_TRACED = ("in user code:", "in converted code:")
_GRAPH = "Graph execution error"
_CALLING = "Exception encountered when calling"
"""How an error in a layer begins: what was raised there stands behind an empty line."""
_TELLS = re.compile(
    r"ChildFailedError|CalledProcessError|RemoteTraceback|_?RemoteError|ExceptionGroup\Z|SystemExit"
    r"|KeyboardInterrupt|BrokenPipeError|ConnectionResetError|DistBackendError|DistNetworkError"
    r"|ProcessExitedException|SignalException|Warning\Z"
)
"""Classes that tell of a failure elsewhere, or of none."""
_WORKER_ENDED = "exited unexpectedly"
_KILLED = re.compile(
    r"exitcode\s*: -\d|\(exitcode: -9\)|SIGKILL|(?i:oom.kill|out of memory: killed process)"
)
"""What tells of a process that was ended from outside: nothing else in a text does."""
_WARNING = re.compile(r"\w*Warning\Z")
_FAILS = re.compile(
    r"(?i)\berror\b|\bfail|can ?not\b|can't\b|could ?n[o']t|\bmust\b|invalid|expect|not found"
    r"|unable|should be|does not|doesn't|out of|no such|mismatch|missing|unknown|denied"
    r"|not (?:been )?\w+ed\b"
)
_VERSION = re.compile(
    r"(?im)^[ \t*>`-]{0,12}(?P<name>[A-Za-z][\w-]{1,40})`?(?: version)?"
    r"(?: \([^)\n]{0,20}\??\))?`?\s?"
    r"(?:==|[:=])\s*`?v?(?P<version>\d+\.\d+(?:\.\d+)*(?:\.?(?:dev|rc|post)\d+)?)(?=[\s`+,;()]|\Z)"
    r"|(?<![\w=<>.-])(?P<pinned>[A-Za-z][\w-]{1,40})==(?P<pin>\d+\.\d+(?:\.\d+)*)"
)
VERSIONS = 100_000
"""Characters at the beginning and at the end of a text in which versions are looked for."""


@dataclass(frozen=True)
class QuotedError:
    """An exception as a text tells it.

    `type` is the class as it is printed, empty where the text has the words alone. `own` is the
    line of the learner's nearest to where it was raised, in this or in another exception of its
    chain. `versions` are those of libraries that the text tells, by their names in lower case.
    `others` are errors in the same text that have nothing to do with this one.
    """

    type: str
    message: str
    frames: tuple[QuotedFrame, ...] = ()
    own: QuotedFrame | None = None
    versions: dict[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The first line of what was printed last: the class and the message."""
        words = self.message.partition("\n")[0]
        return f"{self.type}: {words}" if self.type and words else self.type or words

    @property
    def fails(self) -> bool:
        """Whether the words tell of a failure; those with a class do."""
        words = self.message[:2000]
        return bool(self.type or _FAILS.search(words) or _KILLED.search(words))

    @property
    def is_warning(self) -> bool:
        """Whether nothing failed: a library only warns."""
        return _WARNING.search(self.type) is not None


@dataclass
class _Block:
    """A traceback that is being read; `link` is how it hangs together with the one before.

    `early` is a class that stands before the frames, `below` the last words behind them.
    """

    link: str = ""
    early: str = ""
    below: str = ""
    type: str = ""
    message: str = ""
    frames: list[QuotedFrame] = field(default_factory=list)
    indent: int = 0


def read(text: str) -> list[QuotedError]:
    """Return the exceptions of the failure in a text, the likeliest to matter first.

    Empty where it tells of none. Several stand for one chain: each may be the one to explain.
    """
    found = texts.lines(text)
    streams: dict[str, list[PlainLine]] = {}
    for line in found:
        streams.setdefault(line.source, []).append(line)
    ordered = sorted(streams.items(), key=lambda item: item[0] == "")
    chains = []
    for _source, lines in ordered:
        chains += _chains(list(_Reader(lines).blocks()))
    if all(_TELLS.search(block.type) for chain in chains for block in chain):
        killed = (line.text for line in reversed(found) if _KILLED.search(line.text))
        if words := next(killed, ""):
            chains.insert(0, [_Block(message=words.strip())])
    if not chains:
        chains = [[_Block(type=kind, message=words)] for kind, words in _inside(found)]
    chains = _with_asserted(chains, found)
    for block in (block for chain in chains for block in chain):
        block.frames = _outermost_first(block.frames)
    if not chains:
        return _wordy(found)
    versions = _versions(text)
    chains = sorted(chains, key=_weight)
    others = _others(chains) if len(streams) == 1 else ()
    ranked = _ranked(chains[0])
    own = next((own for block in ranked for own in [_own(block.frames)] if own), None)
    return [
        QuotedError(
            block.type,
            block.message,
            tuple(block.frames),
            _own(block.frames) or own,
            versions,
            others,
        )
        for block in ranked
    ]


def _others(chains: list[list[_Block]]) -> tuple[str, ...]:
    """Return the errors of a text's other tracebacks: the last words of each, none twice."""
    first, *rest = ([QuotedError(b.type, b.message).line for b in chain] for chain in chains)
    told = (lines[-1] for chain, lines in zip(chains[1:], rest, strict=True) if _is_whole(chain))
    return tuple(dict.fromkeys(line for line in told if line not in first))


def _is_whole(chain: list[_Block]) -> bool:
    """Whether a chain is a traceback that tells of a failure of its own."""
    return any(block.frames for block in chain) and not _weight(chain)[0]


def _with_asserted(chains: list[list[_Block]], found: list[PlainLine]) -> list[list[_Block]]:
    """Chains with what a GPU had printed before; all of them, where nothing of it came late."""
    late = [chain for chain in chains if any(LATE.search(block.message) for block in chain)]
    if chains and not late:
        return chains
    said = (ASSERTED.search(line.text) for line in found if "Assertion" in line.text)
    first = next((each.group() for each in said if each), "")
    if not first:
        return chains
    block = _Block(type="RuntimeError", message=first)
    return [[*late[0], replace(block, frames=late[0][-1].frames)]] if late else [[block]]


def _outermost_first(found: list[QuotedFrame]) -> list[QuotedFrame]:
    """Frames in Python's order; a debugger may have the innermost first.

    What was called stands below the module that called it, but for a launcher's own functions.
    """
    if len(found) < 2 or found[0].function == MODULE or found[-1].function != MODULE:
        return found
    launched = _LAUNCHERS.match(found[0].module) is not None or not found[-1].own
    return found if launched else found[::-1]


def _own(found: Sequence[QuotedFrame]) -> QuotedFrame | None:
    return next((each for each in reversed(found) if each.own), None)


def _weight(chain: list[_Block]) -> tuple[bool, bool]:
    """Return a sort key for a chain: whether it tells of a failure itself, and in which code."""
    tells = all(
        _TELLS.search(b.type) or _WORKER_ENDED in b.message.partition("\n")[0] for b in chain
    )
    return tells, not any(b.frames for b in chain)


def _ranked(chain: list[_Block]) -> list[_Block]:
    """Return a chain with the exception first that explains the rest."""
    parts: list[list[_Block]] = []
    for block in chain:
        if block.link in ("cause", "inner") and parts:
            parts[-1].append(block)
        else:
            parts.append([block])
    ordered = []
    for part in reversed(parts):
        inner = [b for b in part if b.link == "inner"]
        ordered += [*reversed(inner), *(b for b in part if b.link != "inner")]
    return sorted(ordered, key=lambda block: _TELLS.search(block.type) is not None)


def _chains(found: list[_Block]) -> list[list[_Block]]:
    """Blocks that hang together, those at the end of the text first."""
    chains: list[list[_Block]] = []
    for block in found:
        if block.link and chains:
            chains[-1].append(block)
        else:
            chains.append([block])
    return chains[::-1]


class _Reader:
    """Goes through lines once, and gives each exception when it is whole."""

    def __init__(self, lines: list[PlainLine]) -> None:
        self._lines = lines
        self._at = 0
        self._block: _Block | None = None
        self._link = ""

    def blocks(self) -> Iterator[_Block]:
        """All exceptions, in the order of the text."""
        while self._at < len(self._lines):
            text = self._lines[self._at].text
            if _DURING in text or _CAUSED in text:
                self._link = "during" if _DURING in text else "cause"
                self._block = None
            elif _HEADER.search(text):
                self._open(text)
            elif not self._take_frame(text):
                done = self._take_exception(text)
                if done is not None:
                    yield done
                    continue
                if self._block is not None and self._block.frames:
                    self._block.below = text.strip() or self._block.below
            self._at += 1
        block = self._block
        if block is not None and (block.early or (block.frames and _FAILS.search(block.below))):
            # Cut before the end: the class is known, or the words are, and the place.
            block.message = block.below
            block.type = block.early or plain_words.kind(block.below)
            yield block

    def _open(self, text: str) -> None:
        early = _EARLY.match(text.lstrip("- "))
        link = "inner" if "Original Traceback" in text else self._link
        self._block = _Block(link, early[1] if early else "")
        if early is not None and (said := _INSIDE.search(text, early.end())):
            # All of it was posted as one line.
            self._block.below = said[2].strip()
        self._link = ""

    def _take_frame(self, text: str) -> bool:
        """Take in a line that tells a frame, or code of one; whether it is such a line."""
        found = None
        if "File" in text or "In" in text or ".py" in text or "<ipython" in text:
            found = next((m for p in _FRAMES if (m := p.match(text))), None)
        block = self._block
        if found is not None:
            if block is None:
                block = self._block = _Block(self._link)
                self._link = ""
            known = found.groupdict()
            file, function = known["file"], (known.get("function") or known.get("traced") or "")
            line = int((known.get("line") or known.get("second") or "0")[:9])
            module, own = frames.place(file)
            code = (known.get("code") or "").strip(" ^~*")
            if not code and line and found.re in (_NATIVE, _TESTED, _OLD):
                code = self._code_below()
            block.frames.append(QuotedFrame(file, line, function.strip(), code, module, own))
            block.below = ""
            block.indent = _indent(text)
            return True
        if block is None or not block.frames:
            return False
        arrow = _ARROW.match(text)
        if arrow is not None:
            last = block.frames[-1]
            line = last.line or int(arrow["line"][:9])
            block.frames[-1] = replace(last, line=line, text=arrow["text"].strip())
            return True
        if _indent(text) < block.indent and _ALONE.match(text.strip()):
            return False
        return not text.strip() or text[0] in " \t" or _NUMBERED.match(text) is not None

    def _code_below(self) -> str:
        """Return the code of the frame just read, in the line below it; takes that line in."""
        if self._at + 1 >= len(self._lines):
            return ""
        below = self._lines[self._at + 1].text
        kind = _RAISED.match(below)
        if (
            _HEADER.search(below)
            or any(p.match(below) for p in _FRAMES)
            or not below.strip()
            or (
                below[0] not in " \t"
                and kind is not None
                and (kind[3] is not None or _ALONE.match(below) is not None)
            )
            or _ARROW.match(below)
        ):
            return ""
        self._at += 1
        if self._at + 1 < len(self._lines) and _MARKS.match(self._lines[self._at + 1].text or "x"):
            self._at += 1
        return below.strip()

    def _take_exception(self, text: str) -> _Block | None:
        """Return the block that this line ends with its exception; reads the whole message, too."""
        block = self._block
        text = text.strip() if block is not None and block.indent else text
        found = _RAISED.match(text) if block is not None else None
        if found is not None and block is not None and not _names_class(found, block):
            found = None
        found = found or _ALONE.match(text)
        if found is None:
            return None
        block = block or _Block(self._link)
        self._link = ""
        block.type = found[2] or found[1]
        first = (found[3] or "").rstrip()
        stamped = self._lines[self._at].stamped
        self._at += 1
        # A graph's error tells where its node comes from within the message.
        self._block = replace(block, frames=[])
        if first.startswith(_TRACED):
            block.message = self._traced(first)
            block.frames = [*block.frames, *self._block.frames]
            _take_inner(block)
        else:
            block.message = self._message(first, stamped)
            block.frames = block.frames or self._block.frames
        self._block = None
        return block

    def _message(self, first: str, stamped: bool) -> str:
        """Return a message from its first line on; it may go on over several."""
        parts = [first]
        graph = _GRAPH in first
        most = TRACED_LINES if graph else MESSAGE_LINES
        while self._at < len(self._lines) and len(parts) < most:
            line = self._lines[self._at]
            text = line.text
            if not text.strip():
                if not self._goes_on(parts, graph):
                    break
            elif graph and _NATIVE.match(text):
                self._take_frame(text)
            elif _ends_message(text) or (line.stamped and not stamped):
                break
            parts.append(text)
            self._at += 1
            if graph and "[Op:" in text:
                break
        return "\n".join(parts).strip()

    def _traced(self, first: str) -> str:
        """Return a message that tells where a function was traced: all lines indented below it."""
        parts = [first]
        while self._at < len(self._lines) and len(parts) < TRACED_LINES:
            text = self._lines[self._at].text
            if text.strip():
                if text[0] not in " \t":
                    break
                if _NATIVE.match(text):
                    self._take_frame(text)
            parts.append(text)
            self._at += 1
        return "\n".join(parts).strip()

    def _goes_on(self, parts: list[str], graph: bool) -> bool:
        """Whether a message goes on behind an empty line."""
        if self._at + 1 >= len(self._lines):
            return False
        below = self._lines[self._at + 1].text
        is_frame = graph and _NATIVE.match(below) is not None
        if not below.strip() or (_ends_message(below) and not is_frame):
            return False
        said = next((part for part in reversed(parts) if part.strip()), "")
        if graph or parts[0].startswith(_CALLING):
            return True
        return said.rstrip().endswith(":") or below[0] in " \t" or not said


def _take_inner(block: _Block) -> None:
    """Take the exception out of the message of one that only tells where it was traced."""
    lines = block.message.split("\n")
    for number in range(len(lines) - 1, 0, -1):
        found = _ALONE.match(lines[number].strip())
        if found is not None:
            block.type = found[2] or found[1]
            block.message = "\n".join([found[3] or "", *lines[number + 1 :]]).strip()
            return


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


_FRAMES = (_NATIVE, _MODERN, _CELL, _OLD, _CALLED, _TESTED)


def _names_class(found: re.Match[str], block: _Block) -> bool:
    """Whether the start of a line can be the class of the exception that ends this traceback."""
    name: str = found[1]
    last = name.rpartition(".")[2]
    if block.early:
        return last == block.early.rpartition(".")[2] or _ALONE.match(found.string) is not None
    if found[3] is None and not (block.frames or _ALONE.match(found.string)):
        return False
    return "." in name or name[:1].isupper() or name.endswith(("error", "timeout"))


def _ends_message(text: str) -> bool:
    return (
        _AFTER.match(text) is not None
        or _HEADER.search(text) is not None
        or _RULE.match(text.strip()) is not None
        or (text[:1] not in " \t" and _ALONE.match(text) is not None)
        or _NATIVE.match(text) is not None
    )


def _inside(lines: list[PlainLine]) -> Iterator[tuple[str, str]]:
    """Classes and messages that stand within sentences, the last first."""
    for line in reversed(lines[-400:]):
        found = _INSIDE.search(line.text[:2000])
        if found is not None:
            quoted = found.string[: found.start()].endswith("`")
            words = found[2].partition("`")[0] if quoted else found[2]
            if not words.strip():
                # A name within the quoted words stands in the same marks.
                words = found[2].rpartition("`")[0]
            words = _up_to_other_letters(words)
            yield found[1], words.strip("`*_ ").removesuffix("'" * (words.count("'") % 2))
            continue
        small = _SMALL.search(line.text[:2000])
        if small is not None and small[1].lower() in _PYTHONS:
            yield _PYTHONS[small[1].lower()], small[2].strip("`*_ ")


def _up_to_other_letters(words: str) -> str:
    """Cut a message where a sentence in Chinese or Russian goes on, outside of quote marks."""
    if _OF_SYSTEM.match(words):
        return words
    for found in _OTHER_LETTERS.finditer(words):
        before = words[: found.start()]
        if not (before.count("'") % 2 or before.count('"') % 2) and before.strip():
            return before.rstrip(" ,;，。；？！、(（")
    return words


def _within_other_letters(text: str) -> str:
    """Return the message in English within a sentence in Chinese or Russian, if there is one."""
    runs = (run.strip(" ,.;:'\"`()") for run in _OTHER_LETTERS.split(text))
    longest = max(runs, key=len)
    if longest == text.strip() or len(longest.split()) < 3:
        return ""
    at = text.index(longest)
    # A quote mark that belongs to the message's first or last word.
    before, after = text[:at][-1:], text[at + len(longest) :][:1]
    return before * (before in "'\"") + longest + after * (after in "'\"")


def _wordy(lines: list[PlainLine]) -> list[QuotedError]:
    """Words without a class: all of a short text, or the lines of a log that tell of a failure."""
    said = [line.text.strip() for line in lines if line.text.strip()]
    if len(said) <= SHORT:
        whole = "\n".join(said)
        if within := _OTHER_LETTERS.search(whole) and _within_other_letters(whole):
            kind = plain_words.kind(within)
            if kind or _FAILS.search(within) or "out of" in within:
                return [QuotedError(kind, within)]
        return [QuotedError(plain_words.kind(whole), whole)] if said else []
    failing = [text for text in said[-400:] if _FAILS.search(text[:2000])]
    return [QuotedError("", text) for text in reversed(failing[-50:])]


def _versions(text: str) -> dict[str, str]:
    """Return the versions of libraries that a text tells; of two for one name, the last."""
    if len(text) > 2 * VERSIONS:
        text = text[:VERSIONS] + "\n" + text[-VERSIONS:]
    found = {}
    for each in _VERSION.finditer(text):
        name = (each["name"] or each["pinned"]).lower().replace("-", "_")
        found[name.removeprefix("py")] = each["version"] or each["pin"]
    return found
