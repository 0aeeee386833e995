"""Errors that were read in a text, held against the catalogue: nothing has run, words are all."""

import builtins
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from course.base.texts import load_table
from course.judge import symptom
from course.judge.tracebacks import plain_words, read
from course.judge.tracebacks.frame import QuotedFrame
from course.judge.tracebacks.read import QuotedError
from course.lesson import catalogue
from course.lesson.catalogue import Fault, Match
from course.lesson.signature import LIMIT, Signature, compiled
from course.runs.record import Fact, Frame, Raised, RunRecord
from course_probe.packages import QUANTIZING, SPEAKING

BASES: dict[str, list[str]] = load_table("exceptions")["bases"]
"""Classes of libraries by their own names, and what they inherit from."""
WEB = frozenset({"requests", "httpx", "urllib3", "aiohttp", "openai"})
"""Packages that ask a server."""
FEWEST = 20
"""Characters that words must have in common with a signature where its class is not there."""
ALIKE = 2
"""Words that a message must have in common with an example."""
ANYWHERE, WORDS_ALONE = Signature.module, "(?!)"
"""The patterns of a module that each fits, and that none does: then there is no traceback."""
_WORD = re.compile(r"[A-Za-z_]{3,}")
_SUGGESTED = re.compile(r"[.;]? ?(?:Did you mean|Maybe you meant)(?:: | )['`\"]?([\w.]+)['`\"]?\?")
_CUT = re.compile(r"\s+(?:\.\.\.|…)\s*\Z")
"""What whoever posted a message left out behind it."""
_FILE_READ = re.compile(r"json\.load\(|\.read\w*\(|\bline\b")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_POSITIONS = re.compile(r"(?i)\b\w*(?:position\w*|wpe)\(")
_WORDS = re.compile(r"(?i)\b(?:\w*word_embeddings|wte|\w*embed_tokens|shared)\(")
_LOOKED_UP = re.compile(r"index out of range in self|indexSelect|vectorized_gather_kernel")
"""A table was read at a number that it does not have."""
_DEVICE = re.compile(r"\bCUDA|\bcuda\b|cuBLAS|CUBLAS|cuDNN")


@dataclass(frozen=True)
class Explained:
    """An exception of a text, and the faults that it may be; none where it is unknown.

    Where the text is `silent`, nothing was raised: what it complains of stands in its place.
    """

    error: QuotedError
    raised: Raised
    found: tuple[Match, ...] = ()
    silent: bool = False


def explain(text: str) -> Explained | None:
    """Explain a text by its error, or by its complaint; None where it has neither."""
    explained = judge(read.read(text))
    if explained is not None and explained.error.type and not explained.error.is_warning:
        return explained
    if explained is not None and explained.found and not explained.error.is_warning:
        return explained
    complaint = symptom.complaint(text)
    if complaint is None:
        return explained
    said = QuotedError("", complaint.words)
    return Explained(said, _raised(said), complaint.found, silent=True)


def judge(errors: Sequence[QuotedError]) -> Explained | None:
    """Choose the exception of a chain that the catalogue knows, or else the one that matters.

    None where there is none, but at most lines of a log that may be anything, or a warning.
    """
    judged = [Explained(each, _raised(each), tuple(_named(each))) for each in errors]
    known = [each for each in judged if each.found]
    special = [each for each in known if not all(m.fault.general for m in each.found)]
    if special:
        return special[0]
    for each in judged:
        if guessed := _by_words(each) or _by_words_alone(each):
            return replace(each, found=tuple(guessed))
    first = judged[0] if judged else None
    if first is None or first.error.is_warning or not first.error.fails:
        return None
    return first if first.error.type or len(judged) == 1 else None


def _named(error: QuotedError) -> list[Match]:
    """Return the matches of an exception; of words without a class, only the certain ones."""
    # Without a class every signature might fit: only those are tried that share words with it.
    faults = None if error.type else _alike(error.message)
    found = catalogue.naming(record(error), faults)
    if "\n" in error.message and all(match.fault.general for match in found):
        # A terminal or a forum may have broken the line.
        joint = replace(error, message=" ".join(error.message.split()))
        found = catalogue.naming(record(joint), faults) or found
    if all(match.fault.general for match in found):
        # That a name may be misspelt can be said of any.
        found = [match for match in found if match.certain]
    if error.type:
        return found
    return [m for m in found if not m.fault.general and _overlap(m, error.message) >= FEWEST]


def _by_words(explained: Explained) -> list[Match]:
    """Return each match by words only: another class or module raised it, or it was cut.

    It is never certain.
    """
    error = explained.error
    frames = explained.raised.frames
    if frames and not frames[-1].script:
        # Which file of a library a message comes from changes with its versions.
        frames = ()
    bare = replace(record(error), raised=replace(explained.raised, classes=(), frames=frames))
    found = [
        replace(match, certain=False)
        for match in catalogue.naming(bare, _alike(error.message))
        if _overlap(match, error.message) >= FEWEST and _may_be(match, explained.raised)
    ]
    if found or explained.found:
        return found
    return [Match(fault, signature, certain=False) for fault, signature in _begun(error)]


def _may_be(match: Match, raised: Raised) -> bool:
    """Whether the lines of a traceback allow for a signature that is about another file or class.

    Another library that has words of its own, and another call, do not.
    """
    signature, origin = match.signature, raised.origin
    if not isinstance(signature, Signature) or origin is None:
        return True
    package = origin.module.partition(".")[0]
    other = package in SPEAKING and package not in signature.module
    elsewhere = signature.module == WORDS_ALONE or (other and signature.module != ANYWHERE)
    return signature.passes(raised) and not elsewhere


def _by_words_alone(explained: Explained) -> list[Match]:
    """Return the matches by words of a whole short message, where library lines were cut off."""
    said = explained.error.message.strip()
    frames = explained.raised.frames
    if not frames or not frames[-1].script or plain_words.kind(said):
        return []  # What Python itself says may well be the script's own.
    if frames[-1].text.lstrip().startswith("raise"):
        return []  # The script says so itself.
    bare = replace(explained, raised=replace(explained.raised, frames=()))
    return [
        match
        for match in _by_words(bare)
        if _overlap(match, said) == len(said) > 0 and _may_be(match, explained.raised)
    ]


def _alike(message: str) -> list[Fault]:
    """Return the faults, but for general ones, with a signature sharing words with a message.

    To compile the patterns of all would take longer than all the rest.
    """
    said = set(_WORD.findall(message[:LIMIT]))
    return [
        fault
        for fault in catalogue.catalogue().values()
        if not fault.general
        and any(
            len(said.intersection(_WORD.findall(f"{each.example} {each.message}"))) >= ALIKE
            for each in fault.signatures
            if isinstance(each, Signature)
        )
    ]


def _begun(error: QuotedError) -> list[tuple[Fault, Signature]]:
    """Signatures with an example that goes on as the message begins; one for each fault."""
    said = _levelled(error.message)
    if len(said) < FEWEST:
        return []
    found: dict[str, tuple[Fault, Signature]] = {}
    for fault in catalogue.catalogue().values():
        for signature in fault.signatures:
            if isinstance(signature, Signature) and not fault.general:
                example = _levelled(signature.example)
                if len(example) > len(said) and example.startswith(said):
                    found.setdefault(fault.id, (fault, signature))
    return sorted(found.values(), key=lambda each: -each[1].often)


def _levelled(text: str) -> str:
    """Return a text that can be compared: without its figures, and the dots of a cut."""
    text = re.sub(r"(?:\.\.\.|…)\s*\Z", "", text.strip())
    return re.sub(r"\d+", "0", " ".join(text.split()))


def _overlap(match: Match, message: str) -> int:
    signature = match.signature
    if not isinstance(signature, Signature):
        return 0
    found = compiled(signature.message).search(message[:LIMIT])
    return 0 if found is None else len(found.group())


def record(error: QuotedError) -> RunRecord:
    """Make the record that a run would have of an exception, as far as its words tell."""
    words = f"{error.type} {error.message}"
    return RunRecord(
        status="exception",
        versions=error.versions,
        device="cuda" if _DEVICE.search(words) else None,
        raised=_raised(error),
    )


def _raised(error: QuotedError) -> Raised:
    suggested = _SUGGESTED.search(error.message)
    message = error.message
    if suggested is not None:
        message = message[: suggested.start()] + message[suggested.end() :]
    # Where two underscores stand for bold type.
    message = message.replace(".init()", ".__init__()")
    message = _CUT.sub("", message)
    near = (suggested[1],) if suggested is not None else ()
    return Raised(
        type=error.type,
        classes=_classes(error.type),
        message=message.rstrip(),
        frames=tuple(map(_frame, error.frames)),
        # Python suggests names of a library's own use, too.
        near=tuple(name for name in near if not name.rpartition(".")[2].startswith("_")),
        state=_state(error),
        by_words=True,
    )


def _state(error: QuotedError) -> dict[str, Fact]:
    """Return the facts in a traceback's lines: the system, and the table of embeddings read."""
    if not _LOOKED_UP.search(error.message[:LIMIT]):
        return _surroundings(error.frames)
    for frame in reversed(error.frames):
        for pattern, value in ((_POSITIONS, 1), (_WORDS, 0)):
            if pattern.search(frame.text):
                return {"embedding.positions": value}
    return {}


def _surroundings(frames: Sequence[QuotedFrame]) -> dict[str, Fact]:
    """Return the facts in a traceback's lines: the system, JSON's source, the trained part."""
    found: dict[str, Fact] = {}
    packages = {frame.module.partition(".")[0] for frame in frames}
    if frames:
        found["frames.quantizing"] = int(not packages.isdisjoint(QUANTIZING))
        found["frames.spawned"] = int(any(f.function == "spawn_main" for f in frames))
    if "json" in packages:
        found["json.of_file"] = int(
            packages.isdisjoint(WEB)
            and any(f.function == "load" or _FILE_READ.search(f.text) for f in frames)
        )
    if any(_DRIVE.match(frame.file) for frame in frames):
        found["system.platform"] = "win32"
    return found


def _classes(name: str) -> tuple[str, ...]:
    """Return the class with its base classes, as far as its name tells."""
    if not name:
        return ()
    last = name.rpartition(".")[2]
    kind = getattr(builtins, last, None)
    if isinstance(kind, type) and issubclass(kind, BaseException):
        return tuple(f"builtins.{each.__name__}" for each in kind.__mro__[:-1])
    return (name, *BASES.get(last, ()))


def _frame(frame: QuotedFrame) -> Frame:
    raises = re.match(r"raise\b", frame.text) is not None
    return Frame(
        frame.module, frame.file, frame.function, frame.line, frame.text, frame.own, raises
    )
