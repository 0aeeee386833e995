"""The help screens, in the user's language."""

import difflib
from typing import Any

import typer
from rich.table import Table
from rich.text import Text
from typer import rich_utils
from typer.core import TyperCommand, TyperGroup

from course.errors import UserError
from course.i18n import N_, _, enumerate_words, in_a_row

_SHOW_HELP = N_("Show this help and leave.")
_PANELS = {
    "OPTIONS_PANEL_TITLE": N_("Options"),
    "ARGUMENTS_PANEL_TITLE": N_("Arguments"),
    "COMMANDS_PANEL_TITLE": N_("Commands"),
    "REQUIRED_LONG_STRING": N_("[required]"),
    "DEFAULT_STRING": N_("[default: {}]"),
}


class _Folding(Table):
    """A table that breaks what is too wide, where Rich's own would cut Chinese text off."""

    def add_row(self, *cells: Any, **options: Any) -> None:
        super().add_row(*cells, **options)
        for column in self.columns:
            column.overflow = "fold"


class Command(TyperCommand):
    """A command whose usage line is in the user's language."""

    def get_usage(self, ctx: Any) -> str:
        """The usage line."""
        return _usage(super().get_usage(ctx))


class Commands(TyperGroup):
    """A group of commands that answers an unknown one with the nearest it has."""

    def get_usage(self, ctx: Any) -> str:
        """The usage line."""
        return _usage(super().get_usage(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the first word names.

        Raises:
            UserError: there is none; names the nearest.

        """
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            raise UserError(unknown(_("There is no command {name}."), args[0], known))
        return super().resolve_command(ctx, args)


def _usage(line: str) -> str:
    """The usage line, with our word for "Usage" and without decoration around an argument."""
    words = line.removeprefix("Usage: ").replace("{", "").replace("}", "")
    return _("Usage: {words}").format(words=words)


def unknown(sentence: str, name: str, known: list[str]) -> str:
    """A sentence about an unknown `{name}`, with the nearest known one or all there are."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    said = sentence.format(name=f"`{name}`")
    if near:
        return in_a_row(said, _("Did you mean {near}?").format(near=f"`{near[0]}`"))
    words = enumerate_words(f"`{name}`" for name in known)
    return in_a_row(said, _("Choose one of {known}.").format(known=words))


def translate(command: Any) -> None:
    """Put the texts of a command, its options and its subcommands into the language in force."""
    for name, text in _PANELS.items():
        setattr(rich_utils, name, _(text))
    setattr(rich_utils, "Table", _Folding)  # noqa: B010 - it is not theirs to export
    _translate(command)


def _translate(command: Any) -> None:
    for name in ("help", "epilog", "short_help"):
        text = getattr(command, name, None)
        if text:
            setattr(command, name, _plain(_(text)))
    context = typer.Context(command)
    for parameter in command.get_params(context):
        text = getattr(parameter, "help", None)
        if getattr(parameter, "is_flag", False):
            # A switch takes no value, so there is no type to tell of.
            parameter.metavar = ""
        elif parameter.param_type_name == "argument":
            # Its name says more than `<str>` would.
            parameter.display_type_rich = lambda ctx: None
        if parameter.name == "help":
            parameter.help = _(_SHOW_HELP)
        elif text:
            parameter.help = _plain(_(text))
    for child in getattr(command, "commands", {}).values():
        _translate(child)


def _plain(text: str) -> str:
    """Our `code` in the markup that the help screens are written in."""
    from course.cli.screen import CODE, verbatim

    parts = Text(text).plain.replace("[", r"\[").split("`")
    for i in range(1, len(parts), 2):
        parts[i] = f"[{CODE}]{verbatim(parts[i])}[/{CODE}]"
    return "".join(parts)
