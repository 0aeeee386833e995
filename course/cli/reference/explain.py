"""`course explain`: the catalogue's faults as pages, and those that a pasted error tells of."""

import re
import sys
from collections import deque
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from course.base.errors import UserError
from course.base.i18n import N_, _, in_a_row, language
from course.base.schema import nearest, suggest
from course.base.texts import paragraphs
from course.cli.terminal import consoles
from course.cli.terminal.options import json_option
from course.lesson import catalogue
from course.lesson.catalogue import Fault
from course.lesson.signature import Signature, SilentSignature
from course.lesson.silent_signature import Condition
from course.render import explain as pages
from course.render import terminal

if TYPE_CHECKING:
    from course.judge.quoted import Explained

STDIN = "-"
UNKNOWN = 1
"""The exit status for an error that the catalogue does not know."""
CHUNK = 1 << 20
MESSAGE = re.compile(r"\w: \S")
"""What an error has behind its kind, and hardly any name of a file has."""


@click.argument(
    "what",
    required=False,
    metavar="FAULT|FILE|-",
    help=N_(
        "The id of a fault, or a file with a traceback or a log. Use `-` to paste the text or send "
        "it through a pipe. If not given: the list of all faults."
    ),
)
@json_option
def explain(what: str | None, as_json: bool) -> int:
    """Print the page of a fault, the list of all, or what an error means."""
    if what is not None and not _is_fault(what):
        return _explain_text(_read(what), as_json)
    chosen = _find(what) if what is not None else None
    if as_json:
        known = [chosen] if chosen is not None else list(catalogue.catalogue().values())
        described = [_document(each) for each in known]
        consoles.document({"lang": language(), "faults": described})
        return 0
    console = consoles.out()
    if chosen is not None:
        with consoles.paged(console):
            terminal.draw(console, pages.page(chosen))
        if Path(chosen.id).is_file():
            command = f"`course explain ./{chosen.id}`"
            consoles.note(
                _("There is also a file with this name. To explain the file: {command}.").format(
                    command=command
                )
            )
        return 0
    with consoles.paged(console):
        terminal.draw(console, pages.contents())
    consoles.note(_("For more: {command}").format(command="`course explain FAULT`"))
    return 0


def _is_fault(what: str) -> bool:
    """Return whether a word means a fault's id: it is one, or could be and is no file."""
    if re.fullmatch(r"[a-z\d]+(?:-[a-z\d]+)*", what) is None:
        return (
            what != STDIN and re.fullmatch(r"[\w-]+", what) is not None and not Path(what).exists()
        )
    return not Path(what).exists() or what in catalogue.ids()


def _read(what: str) -> str:
    """Read a file, or text that comes through a pipe or is pasted; of a long one its end.

    An error's message may stand in the place of the file.

    Raises:
        UserError: there is no such file, or it can't be read.

    """
    from course.judge.tracebacks import text

    if what == STDIN:
        if sys.stdin.isatty():
            keys = "Ctrl-Z, Enter" if sys.platform == "win32" else "Ctrl-D"
            consoles.note(
                _("Paste the error here. Then press Enter and {keys}.").format(keys=f"`{keys}`")
            )
        return text.decode(_tail(sys.stdin.buffer, text.MOST))
    try:
        with Path(what).open("rb") as file:
            return text.decode(_tail(file, text.MOST))
    except FileNotFoundError as error:
        if MESSAGE.search(what):
            return what
        sentence = _("There is no file {file}.").format(file=f"`{what}`")
        folder = Path(what).parent
        beside = [str(folder / each.name) for each in folder.iterdir()] if folder.is_dir() else []
        raise UserError(suggest(sentence, what, [*catalogue.ids(), *beside])) from error
    except IsADirectoryError as error:
        sentence = _("{path} is a folder. Give the name of a file in it, such as {file}.")
        named = f"`{Path(what) / 'train.log'}`"
        raise UserError(sentence.format(path=f"`{what}`", file=named)) from error
    except OSError as error:
        sentence = _("{path} cannot be read: {reason}.")
        raise UserError(
            sentence.format(path=f"`{what}`", reason=error.strerror or error)
        ) from error


def _tail(stream: Any, most: int) -> bytes:
    """Read the last bytes of a stream; it may be longer than the memory has room for."""
    kept: deque[bytes] = deque(maxlen=most // CHUNK + 2)
    while chunk := stream.read(CHUNK):
        kept.append(chunk)
        if len(chunk) < CHUNK:
            # Asked once more, a terminal would want a second Ctrl-D.
            break
    return b"".join(kept)


def _explain_text(text: str, as_json: bool) -> int:
    """Say what an error means that stands in a text; returns the exit status."""
    from course.judge import quoted

    explained = quoted.explain(text)
    if explained is None:
        raise UserError(
            _(
                "There is no error in this text. Paste the whole traceback with its last line, or "
                "paste the warning."
            )
        )
    if as_json:
        consoles.document(_quoted_document(explained))
    else:
        console = consoles.out()
        with consoles.paged(console):
            terminal.draw(console, pages.quoted(explained))
    return 0 if explained.found else UNKNOWN


def _quoted_document(explained: "Explained") -> dict[str, Any]:
    own = explained.error.own
    return {
        "exception": explained.error.type or None,
        "silent": explained.silent,
        "message": explained.error.message,
        "frame": None
        if own is None
        else {"file": own.file, "line": own.line or None, "text": own.text},
        "faults": [
            {
                "fault": each.fault.id,
                "certain": each.certain,
                "cause": not each.fault.event,
                "wording": each.signature.wording,
                "check": _(each.signature.check) if isinstance(each.signature, Signature) else "",
            }
            for each in explained.found
        ],
        "others": list(explained.error.others),
        "advice": pages.DIAGNOSE if explained.silent else None,
    }


def _find(name: str) -> Fault:
    """Find the fault of this id.

    Raises:
        UserError: there is none; names the nearest.

    """
    known = catalogue.catalogue()
    if name not in known:
        sentence = _("There is no fault {name}.").format(name=f"`{name}`")
        if nearest(name, known):
            raise UserError(suggest(sentence, name, known))
        more = _("For more: {command}").format(command="`course explain`")
        raise UserError(in_a_row(sentence, more))
    return known[name]


def _document(fault: Fault) -> dict[str, Any]:
    return {
        "fault": fault.id,
        "stage": fault.stage,
        "title": _(fault.title),
        "means": _texts(fault.means),
        "where": _texts(fault.where),
        "fix": _texts(fault.fix),
        "signatures": [_signature(each) for each in fault.signatures],
        "neighbours": [
            {"fault": name, "apart": _(apart)}
            for name, apart in catalogue.neighbours(fault.id).items()
        ],
        "practices": [asdict(each) for each in pages.practices(fault.id)],
    }


def _texts(text: str) -> list[str]:
    return [_(part) for part in paragraphs(text)]


def _signature(signature: Signature | SilentSignature) -> dict[str, Any]:
    """Describe how a fault shows: an exception, or without one an effect and its cause."""
    shown: dict[str, Any] = dict.fromkeys(("exception", "message", "effect", "cause"))
    if isinstance(signature, SilentSignature):
        shown |= {"effect": _side(signature.effect), "cause": _side(signature.cause)}
        shown |= {"when": [*signature.when]} if signature.when else {}
    else:
        shown["exception"] = signature.exception.removeprefix("builtins.")
        shown["message"] = signature.message
    return {**consoles.fields_of(signature, "wording", "seen", "example"), **shown}


def _side(side: str | tuple[Condition, ...]) -> str | list[dict[str, Any]]:
    """Return an effect or a cause as data: its name, or the bounds of measured figures."""
    if isinstance(side, str):
        return side
    return [consoles.fields_of(each, "figure", "above", "below") for each in side]
