"""Whether a notebook is paired with a script beside it, as jupytext notes it in its metadata.

https://jupytext.readthedocs.io/en/latest/paired-notebooks.html. Files that merely have the same
name are no pair. jupytext itself is not loaded for this: every command on a notebook asks.
"""

import re
from typing import Any

FORM = "py:percent"
"""The format, by jupytext's name, of the scripts that we pair notebooks with."""
_PYTHON = re.compile(r"(?:py|auto)(?::\w+)?")


def metadata(form: str) -> dict[str, str]:
    """Make what a notebook has under `jupytext` that is paired with a script of this format.

    Our marks of cells are of no use there.
    """
    return {"cell_metadata_filter": "tags,-course", "formats": f"ipynb,{form}"}


def form(about: dict[str, Any]) -> str | None:
    """Find the format of the script beside a notebook with these metadata; None where it has none.

    Of `ipynb,py:percent` that is `py:percent`; other folders and endings are not ours to keep.
    """
    found = about.get("jupytext")
    formats = found.get("formats") if isinstance(found, dict) else None
    parts = [part.strip() for part in formats.split(",")] if isinstance(formats, str) else []
    if "ipynb" not in parts:
        return None
    return next((part.replace("auto", "py") for part in parts if _PYTHON.fullmatch(part)), None)
