"""The help screens, in the user's language and with lines that any script can break."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from course.base.errors import UserError
from course.base.i18n import N_, _, available, in_a_row
from course.base.schema import suggest_or_list
from course.cli.terminal import consoles
from course.render.lines import wrap

LANGUAGE = N_("The language, before or after any command.")
SHOW_HELP = N_("Show this help and leave.")
COMMANDS = N_("Commands")
NAMES = 30
"""The widest that the column of names may be: a longer name has a line to itself."""


class _Helpful:
    """What commands and groups share: our help screen, and an option for it that costs nothing."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help screen; the formatter stays empty."""
        _show(self, ctx)

    def get_help_option(self, ctx: Any) -> Any:
        """Give `--help` a value where it is not asked for.

        Without one Typer loads pydantic to find out that nothing was given, and that takes a third
        of the time of `course list`.
        """
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.default = False
        return option


class _AsTyped:
    """Hands a text on as it was typed: Typer would load pydantic to make a text of it.

    That takes longer than all the rest of `course explain`.
    """

    def coerce(self, value: Any, **_kwargs: Any) -> Any:
        """Return the value itself."""
        return value


class Command(_Helpful, TyperCommand):
    """A command with our help screen."""


@dataclass(frozen=True)
class Entry:
    """A command of a group, imported when it is asked for: the rest need not be loaded for it.

    `target` is its function, or a group's `typer.Typer`, as `module:name`; `help` is said of it in
    the list of commands too, below the heading of its `section`, and `examples` names the text of
    its module that ends its own help.
    """

    target: str
    help: str
    examples: str = "EXAMPLES"
    section: str = COMMANDS

    def load(self, name: str) -> TyperCommand | TyperGroup:
        """Import the command, which the user knows as `name`."""
        path, _colon, attribute = self.target.partition(":")
        module = importlib.import_module(path)
        found = getattr(module, attribute)
        if isinstance(found, typer.Typer):
            found.info.name, found.info.help = name, self.help
            return typer.main.get_group(found)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        examples = getattr(module, self.examples)
        alone.command(name, cls=Command, help=self.help, epilog=examples)(found)
        command = typer.main.get_command(alone)
        assert isinstance(command, TyperCommand)
        for parameter in command.params:
            if getattr(getattr(parameter, "type_descriptor", None), "annotation", None) is str:
                parameter._runtime_param = _AsTyped()  # type: ignore[attr-defined]
        return command


class Commands(_Helpful, TyperGroup):
    """A group of commands with our help screen, which answers an unknown one with the nearest."""

    entries: Mapping[str, Entry] = {}

    def list_commands(self, ctx: Any) -> list[str]:
        """Name the commands, in the order in which help lists them."""
        return [*self.entries, *self.commands.keys() - self.entries.keys()]

    def get_command(self, ctx: Any, name: str) -> Any:
        """Load a command; None where there is none of this name."""
        if name in self.entries and name not in self.commands:
            self.commands[name] = self.entries[name].load(name)
        return self.commands.get(name)

    def sections(self) -> dict[str, list[tuple[str, str]]]:
        """Give each command's name and what it is for, untranslated, by section; load none."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self.entries.items():
            found.setdefault(entry.section, []).append((name, entry.help))
        own = [(n, c.help or "") for n, c in self.commands.items() if n not in self.entries]
        return {**found, COMMANDS: [*found.get(COMMANDS, ()), *own]}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the first word names.

        Raises:
            UserError: there is none; names the nearest.

        """
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            raise UserError(suggest_or_list(_("There is no command {name}."), args[0], known))
        return super().resolve_command(ctx, args)


def group(entries: Mapping[str, Entry] | None = None, **settings: Any) -> typer.Typer:
    """Make a group of commands under one word, of `entries` or of those that are added to it."""
    return typer.Typer(
        cls=type("Commands", (Commands,), {"entries": entries or {}}),
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        **settings,
    )


def _show(command: Any, ctx: Any) -> None:
    console = consoles.out()
    words = f"{ctx.command_path} {' '.join(command.collect_usage_pieces(ctx))}"
    words = words.replace("{", "").replace("}", "")
    consoles.paragraph(console, _("Usage: {words}").format(words=f"`{words}`"))
    console.print()
    consoles.paragraph(console, _(command.help))
    parameters = command.get_params(ctx)
    arguments = [p for p in parameters if p.param_type_name == "argument"]
    options = [p for p in parameters if p.param_type_name == "option"]
    sections = command.sections() if isinstance(command, Commands) else {}
    _table(console, _("Arguments"), [(p.metavar or p.name, _about(p)) for p in arguments])
    rows = [(_option(p), _about(p)) for p in options]
    if ctx.parent is None:
        rows.insert(0, (f"--lang {'|'.join(available())}", _(LANGUAGE)))
    # Who asks what a program can do looks for its commands first.
    for title, commands in sections.items():
        _table(console, _(title), [(name, _(about)) for name, about in commands])
    _table(console, _("Options"), rows)
    if command.epilog:
        console.print()
        consoles.paragraph(console, _(command.epilog))


def _option(option: Any) -> str:
    """Return an option as one would type it."""
    names = ", ".join(sorted(option.opts, key=len))
    takes_value = not option.is_flag and option.name != "help"
    return f"{names} {option.metavar or ''}".rstrip() if takes_value else names


def _about(parameter: Any) -> str:
    """Describe a parameter's purpose and its default value."""
    about = _(SHOW_HELP) if parameter.name == "help" else _(parameter.help)
    if parameter.required:
        return in_a_row(about, _("[required]"))
    default = None if getattr(parameter, "is_flag", False) else parameter.default
    if default is None or parameter.name == "help":
        return about
    return in_a_row(about, _("[default: {}]").format(default))


def _table(console: Console, title: str, rows: list[tuple[str, str]]) -> None:
    """Names on the left, what they mean on the right, each column broken on its own."""
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
