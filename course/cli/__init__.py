"""The command line: one thin file per command. This one finds the language and the exit status."""

import contextlib
import errno
import os
import signal
import sys
import traceback
from types import FrameType
from typing import NoReturn

import click

from course.base import i18n, paths, shelves
from course.base.errors import OURS, ContentError, UserError
from course.base.i18n import N_, _
from course.cli.terminal import consoles
from course.cli.terminal.help import Commands, entries

NOT_WRITABLE = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG}
    | {errno.EEXIST, errno.ELOOP, errno.EIO, errno.EBUSY}
)
"""What a path of the user's can lead to, whatever we do."""
INTERRUPTED = 130
PIPE_CLOSED = 141

app = Commands(
    entries("course"),
    name="course",
    # `main` has taken `--version` out already, and `--lang`, which stands anywhere: only the help
    # screen knows them.
    params=[click.Option(["--version"], is_flag=True, help=N_("Print the version and exit."))],
    help=N_("Run the broken training scripts of the Hugging Face NLP course, and fix them."),
    epilog=N_(
        "Begin with `course run ch8-4`: it guides you through a lesson. Or begin with `course "
        "start ch8-4`: it makes your own copy of the script for you to fix. For your own script: "
        "`course explain -`, `course diagnose train.py`, `course run train.py`. For more on a "
        "command, add `--help`."
    ),
)


def main() -> NoReturn:
    """Run the command line and leave with its exit status."""
    status = _guarded(sys.argv[1:])
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    sys.exit(status)


def _guarded(arguments: list[str]) -> int:
    """Run a command; whatever goes wrong becomes one sentence and an exit status."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stop)
    try:
        return _dispatch(arguments)
    except UserError as error:
        consoles.error(str(error))
        return error.status
    except ContentError as error:
        if not (paths.is_checkout() or shelves.are_told_of(str(error))):
            return _ours(error, arguments)
        # Whoever sees it is the author of what is wrong, and the only one who can mend it.
        consoles.error(str(error))
        return UserError.status
    except click.UsageError as error:
        return _usage(error)
    except KeyboardInterrupt:
        with contextlib.suppress(Exception):
            consoles.follow_last()
        consoles.note(_("Interrupted."))
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has left; what is still buffered must not raise once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        return _answer_os_error(error, arguments)
    except Exception as error:  # noqa: BLE001 - the last resort: it is logged
        return _ours(error, arguments)


def _answer_os_error(error: OSError, arguments: list[str]) -> int:
    """Say what cannot be written, or that a disk is full; anything else is a failure of ours."""
    if error.errno in NOT_WRITABLE and error.filename:
        why = _("{path} cannot be written: {reason}.")
        consoles.error(why.format(path=f"`{error.filename}`", reason=error.strerror))
        return UserError.status
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        full = _("There is no space left on the disk. Free some space and try again.")
        consoles.error(i18n.about(f"`{error.filename}`", full) if error.filename else full)
        return UserError.status
    return _ours(error, arguments)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """Leave as on Ctrl-C, so that no run outlives us; but with the signal's own status."""
    raise SystemExit(128 + number)


def _dispatch(arguments: list[str]) -> int:
    asked, rest = _language_option(arguments)
    # First the language that needs no asking: a complaint about the option is in it.
    with contextlib.suppress(UserError):
        i18n.choose(None)
    i18n.choose(asked)
    consoles.prepare_streams()
    if rest == ["--version"]:
        from course import __version__

        print(__version__)
        return 0
    try:
        # Click's own `main` would answer Ctrl-C and a closed pipe in its way.
        with app.make_context("course", rest) as context:
            result = app.invoke(context)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    return result if isinstance(result, int) else 0


def _language_option(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Take `--lang X` out of the arguments, wherever it stands before a `--`."""
    rest, asked = list(arguments), None
    i = 0
    while i < len(rest) and rest[i] != "--":
        if rest[i] == "--lang":
            if i + 1 == len(rest):
                raise UserError(_("The option {name} needs a value.").format(name="`--lang`"))
            asked = rest[i + 1]
            del rest[i : i + 2]
        elif rest[i].startswith("--lang="):
            asked = rest.pop(i).removeprefix("--lang=")
        else:
            i += 1
    return asked, rest


def _usage(error: click.UsageError) -> int:
    """Say in the user's language what is wrong with the command's words."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        # Without any words the help is the answer, and it has been printed already.
        return 2
    if isinstance(error, click.NoSuchOption):
        name = f"`{error.option_name}`"
        sentence = _("There is no option {name}.").format(name=name)
        if error.possibilities:
            near = _("Did you mean {near}?").format(near=f"`{error.possibilities[0]}`")
            sentence = i18n.in_a_row(sentence, near)
    elif isinstance(error, click.MissingParameter):
        sentence = _("{name} is missing.").format(name=f"`{_parameter_name(error.param)}`")
    elif isinstance(error, click.BadParameter):
        sentence = _("The value given for {name} cannot be used.").format(
            name=f"`{_parameter_name(error.param)}`"
        )
    elif isinstance(error, click.BadOptionUsage):
        sentence = _("The option {name} needs a value.").format(name=f"`{error.option_name}`")
    else:
        sentence = _("The command does not know these arguments.")
    path = error.ctx.command_path if error.ctx is not None else "course"
    more = _("For more: {command}").format(command=f"`{path} --help`")
    consoles.error(i18n.in_a_row(sentence, more))
    return 2


def _parameter_name(parameter: click.Parameter | None) -> str:
    longest = max(parameter.opts if parameter is not None else [""], key=len)
    return longest if longest.startswith("-") else longest.upper()


def _ours(error: Exception, arguments: list[str]) -> int:
    """Log our own mistake, say where the log is, and give the exit status."""
    from course.base import log

    log.logger("cli").error("course %s", " ".join(arguments), exc_info=error)
    written = log.file()
    if written is not None:
        consoles.error(log.sentence(written))
    else:
        traceback.print_exception(error)
        consoles.error(_("This is a bug in our program. Please send us the lines above."))
    return OURS
