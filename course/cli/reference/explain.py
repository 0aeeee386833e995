"""`course explain`: the faults of the catalogue, all of them by stage, or one as a page."""

from typing import Annotated, Any

import typer

from course.cli.terminal import consoles
from course.cli.terminal.options import AsJson
from course.errors import UserError
from course.i18n import N_, _, in_a_row, language
from course.lesson import catalogue
from course.lesson.catalogue import Fault
from course.lesson.signature import Signature, SilentSignature
from course.lesson.silent_signature import Condition
from course.render import explain as pages
from course.render import terminal
from course.schema import nearest, suggest
from course.texts import paragraphs

EXAMPLES = N_("Examples: `course explain`, `course explain nan-loss --lang zh`")


def explain(
    fault: Annotated[
        str | None,
        typer.Argument(metavar="FAULT", help=N_("The id of a fault; all of them if not given.")),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the page of a fault, or the list of all."""
    chosen = _find(fault) if fault is not None else None
    if as_json:
        known = [chosen] if chosen is not None else list(catalogue.catalogue().values())
        described = [_document(each) for each in known]
        consoles.document({"format": 1, "lang": language(), "faults": described})
        return
    console = consoles.out()
    if chosen is not None:
        terminal.draw(console, pages.page(chosen))
        return
    terminal.draw(console, pages.contents())
    consoles.note(_("{command} shows one.").format(command="`course explain FAULT`"))


def _find(name: str) -> Fault:
    """The fault of this id.

    Raises:
        UserError: there is none; names the nearest.

    """
    known = catalogue.catalogue()
    if name not in known:
        sentence = _("There is no fault {name}.").format(name=f"`{name}`")
        if nearest(name, known):
            raise UserError(suggest(sentence, name, known))
        lists = _("{command} lists them all.").format(command="`course explain`")
        raise UserError(in_a_row(sentence, lists))
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
        "practices": [
            {
                "lesson": each.lesson,
                "framework": each.framework,
                "step": each.step,
                "command": each.command,
            }
            for each in pages.practices(fault.id)
        ],
    }


def _texts(text: str) -> list[str]:
    return [_(part) for part in paragraphs(text)]


def _signature(signature: Signature | SilentSignature) -> dict[str, Any]:
    """How a fault shows: an exception, or without one an effect and its cause."""
    shown: dict[str, Any] = dict.fromkeys(("exception", "message", "effect", "cause"))
    if isinstance(signature, SilentSignature):
        shown |= {"effect": _side(signature.effect), "cause": _side(signature.cause)}
    else:
        shown["exception"] = signature.exception.removeprefix("builtins.")
        shown["message"] = signature.message
    return {
        "wording": signature.wording,
        "seen": signature.seen,
        "example": signature.example,
        **shown,
    }


def _side(side: str | tuple[Condition, ...]) -> str | list[dict[str, Any]]:
    """An effect or a cause: its name, or the bounds of measured figures."""
    if isinstance(side, str):
        return side
    return [{"figure": each.figure, "above": each.above, "below": each.below} for each in side]
