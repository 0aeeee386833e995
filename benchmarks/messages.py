"""How often `course explain` names an error that somebody posted: `python benchmarks/messages.py`.

The messages are from public threads, with the fault by the thread's own resolution, where it has
one (`benchmarks/messages/README.md`). Those with even numbers were at hand while the reader was
written; the report is on the odd ones. `--all` takes both, `--even` the others, `--each` prints a
line for each message that is not named rightly. `--later` takes the messages that were gathered
when all this was finished (`later-*.toml`): nothing was written for the odd ones of them. `--fresh`
takes those of another search after that (`fresh-*.toml`), of which the same holds; `--last` takes
those that were asked about when that was finished, too (`last-*.toml`, all of them).
`--newest` takes a fourth search (`newest-*.toml`), `--fifth` the last of all (`fifth-*.toml`).
`--strict` counts a message that the catalogue has no name for as not right. A plain traceback names
nothing; beside it stands friendly-traceback, where it is installed, counted as right if it says
more than what class it is.
"""

import argparse
import contextlib
import io
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.judge import quoted
from course.judge.tracebacks import read

FOLDER = Path(__file__).parent / "messages"
UNKNOWN = "unknown"
LATER, FRESH, LAST, NEWEST, FIFTH = "later-", "fresh-", "last-", "newest-", "fifth-"
SEARCHES = (LATER, FRESH, LAST, NEWEST, FIFTH)
"""How the names of files begin whose messages are counted by themselves."""
ANSWERS = ("right", "among", "wrong", "unknown")


@dataclass(frozen=True)
class Message:
    """What was posted, and the faults that it rightly may be called; `unknown` where there is none.

    The first label is what the thread says; others are as right by the words alone.
    """

    kind: str
    number: int
    source: str
    labels: tuple[str, ...]
    text: str


def messages() -> list[Message]:
    """All messages, by their kind."""
    found = []
    for file in sorted(FOLDER.glob("*.toml")):
        for table in tomllib.loads(file.read_text("utf-8"))["message"]:
            labels = tuple(table["labels"])
            text = table["text"]
            found.append(Message(file.stem, table["number"], table["source"], labels, text))
    return found


def named(text: str) -> list[tuple[str, bool]]:
    """Return the faults that `course explain -` names, each with whether it is certain."""
    explained = quoted.explain(text)
    return [(m.fault.id, m.certain) for m in explained.found] if explained is not None else []


def answer(message: Message, strict: bool = False) -> str:
    """How a message was answered: one of `ANSWERS`.

    Right: the first that is named. Among: behind another that is only possible. Wrong: another is
    named as certain, or none of those that are possible is right. Strict: to name nothing is never
    right.
    """
    found = named(message.text)
    names = [name for name, _certain in found]
    if not found:
        return "right" if UNKNOWN in message.labels and not strict else "unknown"
    if names[0] in message.labels:
        return "right"
    if not found[0][1] and set(names) & set(message.labels):
        return "among"
    return "wrong"


def friendly(message: Message) -> bool | None:
    """Whether friendly-traceback says what causes the exception; None where it is not installed.

    It is given the exception itself, raised anew with the words that were posted.
    """
    try:
        import friendly_traceback as other
    except ImportError:
        return None
    import builtins

    first = next(iter(read.read(message.text)), None)
    kind: Any = getattr(builtins, (first.type if first else "").rpartition(".")[2], RuntimeError)
    with contextlib.suppress(Exception), contextlib.redirect_stderr(io.StringIO()):
        try:
            raise kind(first.message if first else message.text)
        except Exception as error:
            told = other.core.FriendlyTraceback(type(error), error, error.__traceback__)
            told.compile_info()
            cause = str(told.info.get("cause", ""))
            return bool(cause) and "No information is known about this exception" not in cause
    return False


def row(kind: str, counts: Counter[str], others: Counter[bool | None]) -> str:
    """One line of the table."""
    total = counts.total()
    cells = " | ".join(f"{counts[name] / total:.2f}" for name in ANSWERS)
    beside = "not installed" if others[None] else f"{others[True] / total:.2f}"
    return f"| {kind} | {total} | {cells} | {beside} | 0.00 |"


def main() -> None:
    """Count and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--even", action="store_true")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--later", dest="begins", action="store_const", const=LATER, default="")
    parser.add_argument("--fresh", dest="begins", action="store_const", const=FRESH)
    parser.add_argument("--last", dest="begins", action="store_const", const=LAST)
    parser.add_argument("--newest", dest="begins", action="store_const", const=NEWEST)
    parser.add_argument("--fifth", dest="begins", action="store_const", const=FIFTH)
    parser.add_argument("--strict", action="store_true")
    chosen = parser.parse_args()
    kept = [
        m
        for m in messages()
        if m.kind.startswith(chosen.begins or SEARCHES) == bool(chosen.begins)
        and (
            chosen.all
            or chosen.begins in (LAST, FIFTH)
            or m.number % 2 == (0 if chosen.even else 1)
        )
    ]
    counts: dict[str, Counter[str]] = {}
    others: dict[str, Counter[bool | None]] = {}
    for message in kept:
        given = answer(message, chosen.strict)
        counts.setdefault(message.kind, Counter())[given] += 1
        others.setdefault(message.kind, Counter())[friendly(message)] += 1
        if chosen.each and given != "right":
            print(given, message.number, message.kind, message.labels, named(message.text))
    print(f"| kind | messages | {' | '.join(ANSWERS)} | friendly-traceback | plain |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for kind in counts:
        print(row(kind, counts[kind], others[kind]))
    print(row("**all**", sum(counts.values(), Counter()), sum(others.values(), Counter())))


if __name__ == "__main__":
    main()
