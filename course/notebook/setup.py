"""The first cell with code: it makes `course` ready in whichever notebook program runs it."""

import json

from course.base.errors import UserError
from course.base.i18n import N_, _
from course.exercise.header import Header
from course.lesson.lesson import Part

ABOUT = (
    N_("Run this cell first. It installs what is missing, and prepares small models and data,"),
    N_("so that no network is needed afterwards. Then it says what it has done."),
)
MISSING = N_(
    "Put the file nlp_course_companion-*.whl into the folder of this notebook, and run this cell "
    "again. In a class, you get this file from your teacher. In a copy of course's repository, "
    "pip wheel --no-deps . makes it."
)
UNSAFE = frozenset("\"`${}\\'\n\r\0")
"""What would mean something else to Python, to IPython or to a shell than to pip."""


def source(part: Part, header: Header, install: str | None = None) -> str:
    """Make the text of the cell.

    `install` is what pip installs; without it, a wheel that lies beside the notebook.

    Raises:
        UserError: `install` is not one word that is safe on a command line.

    """
    about = "".join(f"# {_(line)}\n" for line in ABOUT)
    found = _beside() if install is None else f"    package = {_quoted(_checked(install))}\n"
    requires = " ".join(_quoted(name) for name in part.requires)
    # The lines that are no Python are commented out in a script: without them it must parse, too.
    return (
        f"{header.line()}{about}try:\n"
        f"    from course import load_ipython_extension\n"
        "except ImportError:\n"
        f"{found}"
        f'    %pip install --quiet "{{package}}" {requires}\n'
        f"%load_ext course\n"
        f"%course setup"
    )


def _beside() -> str:
    missing = json.dumps(_(MISSING), ensure_ascii=False)
    return (
        "    from glob import glob\n\n"
        '    package = max(glob("nlp_course_companion-*.whl"), default="")\n'
        "    if not package:\n"
        f"        raise ModuleNotFoundError({missing}) from None\n"
    )


def _quoted(text: str) -> str:
    """Quote a text as a literal of Python, and as a word of a command line."""
    return f'"{text}"'


def _checked(install: str) -> str:
    if not install.strip() or install.startswith("-") or UNSAFE & set(install):
        message = _("The value given for {name} cannot be used.")
        raise UserError(message.format(name="`--install`"))
    return install
