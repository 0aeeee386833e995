"""The help screens, in the user's language and with lines that any script can break."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from course.base.errors import UserError
from course.base.i18n import N_, _, available, enumerate_words, in_a_row
from course.base.schema import suggest_or_list
from course.base.texts import load_table
from course.cli.terminal import consoles
from course.render.lines import wrap

LANGUAGE = N_("The language of the program. The option may be before or after any command.")
SHOW_HELP = N_("Show this help and exit.")
COMMANDS = N_("Commands")
NAMES = 30
"""The widest that the column of names may be: a longer name has a line to itself."""


class Command(click.Command):
    """A command with our help screen."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the help screen; the formatter stays empty."""
        _show(self, ctx)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option for the help screen, which is told as all others are."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = SHOW_HELP
        return option


@dataclass(frozen=True)
class Entry:
    """A command of a group, imported when it is asked for: the rest need not be loaded for it.

    `target` is its function with its parameters, or a group, as `module:name`; `help` is said of it
    in the list of commands too, below the heading of its `section`. Its own help ends with an
    `example`, a sentence, or `examples`, which are commands.
    """

    target: str
    help: str
    section: str = COMMANDS
    example: str = ""
    examples: Sequence[str] = ()

    def load(self, name: str) -> click.Command:
        """Import the command, which the user knows as `name`."""
        path, _colon, attribute = self.target.partition(":")
        found = getattr(importlib.import_module(path), attribute)
        if isinstance(found, click.Group):
            found.name, found.help = name, self.help
            return found
        ends = self.example or "\n".join(self.examples)
        return click.command(name, cls=Command, help=self.help, epilog=ends or None)(found)


def entries(group: str) -> dict[str, Entry]:
    """Return the commands of a group, as `course/tables/commands.toml` has them."""
    return {name: Entry(**fields) for name, fields in load_table("commands")[group].items()}


class Commands(Command, click.Group):
    """A group of commands with our help screen, which answers an unknown one with the nearest.

    Its `entries` are loaded when they are asked for.
    """

    def __init__(self, entries: Mapping[str, Entry], **settings: Any) -> None:
        names = {"help_option_names": ["-h", "--help"]}
        super().__init__(no_args_is_help=True, context_settings=names, **settings)
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands, in the order in which help lists them."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None where there is none of this name."""
        if cmd_name in self.entries and cmd_name not in self.commands:
            self.commands[cmd_name] = self.entries[cmd_name].load(cmd_name)
        return self.commands.get(cmd_name)

    def sections(self) -> dict[str, list[tuple[str, str]]]:
        """Give each command's name and what it is for, untranslated, by section; load none."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self.entries.items():
            found.setdefault(entry.section, []).append((name, entry.help))
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names.

        Raises:
            UserError: there is none; names the nearest.

        """
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            raise UserError(suggest_or_list(_("There is no command {name}."), args[0], known))
        return super().resolve_command(ctx, args)


def _show(command: click.Command, ctx: click.Context) -> None:
    console = consoles.out()
    parameters = command.get_params(ctx)
    arguments = [p for p in parameters if isinstance(p, click.Argument)]
    options = [p for p in parameters if isinstance(p, click.Option)]
    words = [ctx.command_path, command.options_metavar or "", *map(_word, arguments)]
    if isinstance(command, Commands):
        words.append(command.subcommand_metavar)
    consoles.paragraph(console, _("Usage: {words}").format(words=f"`{' '.join(words)}`"))
    console.print()
    consoles.paragraph(console, _translated(command.help))
    _table(console, _("Arguments"), [(p.metavar or p.name, _about(p)) for p in arguments])
    rows = [(_option(p), _about(p)) for p in options]
    if ctx.parent is None:
        rows.insert(0, (f"--lang {'|'.join(available())}", _(LANGUAGE)))
    # Who asks what a program can do looks for its commands first.
    for title, commands in command.sections().items() if isinstance(command, Commands) else ():
        _table(console, _(title), [(name, _(about)) for name, about in commands])
    _table(console, _("Options"), rows)
    if command.epilog:
        console.print()
        consoles.paragraph(console, _examples(command.epilog))


def _translated(text: str | None) -> str:
    """Return a text in the language in force; of an empty one, gettext would tell its header."""
    return _(text) if text else ""


def _examples(text: str) -> str:
    """Return the examples of a command: a text, or lines of commands that say it all."""
    # A text has its commands in backticks.
    if "`" in text:
        return _(text)
    commands = enumerate_words(f"`{line}`" for line in text.splitlines())
    return _("For example: {commands}").format(commands=commands)


def _word(argument: click.Argument) -> str:
    """Return an argument as it stands in the usage line."""
    word = argument.metavar or argument.name.upper()
    word = word if argument.required else f"[{word}]"
    return word if argument.nargs == 1 else f"{word}..."


def _option(option: click.Option) -> str:
    """Return an option as one would type it."""
    names = ", ".join(sorted(option.opts, key=len))
    return names if option.is_flag else f"{names} {option.metavar or ''}".rstrip()


def _about(parameter: click.Argument | click.Option) -> str:
    """Describe a parameter's purpose and its default value."""
    about = _translated(parameter.help)
    if parameter.required:
        return in_a_row(about, _("[required]"))
    default = parameter.to_info_dict()["default"]
    if default is None or (isinstance(parameter, click.Option) and parameter.is_flag):
        return about
    return in_a_row(about, _("[default: {}]").format(default))


def _table(console: Console, title: str, rows: list[tuple[str, str]]) -> None:
    """Print names on the left and what they mean on the right, each column broken alone."""
    if not rows:
        return
    console.print()
    consoles.paragraph(console, title, style="bold")
    left = min(NAMES, max(cell_len(consoles.verbatim(name)) for name, _about in rows))
    right = consoles.width(console, left + 4)
    for name, about in rows:
        shown = consoles.verbatim(name)
        fits = cell_len(shown) <= left
        first = Text(f"  {shown}{' ' * (left - cell_len(shown) + 2)}" if fits else f"  {shown}")
        first.stylize(consoles.CODE)
        lines = wrap(consoles.styled(console, about), right)
        indent = Text(" " * (left + 4))
        if not fits:
            console.print(first, soft_wrap=True)
            first = indent
        for number, line in enumerate(lines or [Text("")]):
            console.print(indent if number else first, line, sep="", soft_wrap=True)
