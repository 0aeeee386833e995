"""Whether a notebook is paired with a script beside it, as jupytext notes it in either file.

https://jupytext.readthedocs.io/en/latest/paired-notebooks.html. Files that merely have the same
name are no pair.
"""

import re
from typing import Any

FORM = "py:percent"
"""The format, by jupytext's name, of the scripts that we pair notebooks with."""
HEADER = 60
"""Lines in which the header of a script is looked for."""
_PYTHON = re.compile(r"(?:py|auto)(?::\w+)?")
_FORMATS = re.compile(r"#\s+formats:\s*['\"]?([\w:,./]+)")


def metadata(form: str) -> dict[str, str]:
    """What a notebook has under `jupytext` that is paired with a script of this format.

    Our marks of cells are of no use there.
    """
    return {"cell_metadata_filter": "tags,-course", "formats": f"ipynb,{form}"}


def form(about: dict[str, Any]) -> str | None:
    """The format of the script beside a notebook with these metadata; None where it has none."""
    found = about.get("jupytext")
    return _of(found.get("formats")) if isinstance(found, dict) else None


def own_form(script: str) -> str | None:
    """The format of a script that says itself that it is paired with a notebook beside it."""
    lines = script.removeprefix("\ufeff").splitlines()[:HEADER]
    if not any(line.rstrip() == "# ---" for line in lines):
        return None
    return next((_of(m[1]) for line in lines if (m := _FORMATS.match(line))), None)


def _of(formats: object) -> str | None:
    """The script's part of `ipynb,py:percent`; other folders and endings are not ours to keep."""
    parts = [part.strip() for part in formats.split(",")] if isinstance(formats, str) else []
    if "ipynb" not in parts:
        return None
    return next((part.replace("auto", "py") for part in parts if _PYTHON.fullmatch(part)), None)
