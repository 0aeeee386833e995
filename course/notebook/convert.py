"""Either form of a notebook from the other, in the percent format, as jupytext writes it.

Outputs have no place in a script.
"""

import warnings

from course.notebook import document
from course.notebook.cells import pairing
from course.notebook.library import jupytext, nbformat

PERCENT = "py:percent"


def to_script(text: str) -> str:
    """Write the script of a notebook's text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        node = nbformat.reads(text, as_version=document.MAJOR)  # type: ignore[no-untyped-call]
        made: str = jupytext.writes(node, fmt=PERCENT)
    return made


def to_notebook(script: str) -> str:
    """Write the text of the notebook that a script in the percent format makes."""
    found = jupytext.reads(script.removeprefix("\ufeff"), fmt=PERCENT)
    cells = [document.cell(c.cell_type, c.source, dict(c.metadata)) for c in found.cells]
    metadata = {k: v for k, v in found.metadata.items() if k != "jupytext"}
    return document.text(cells, {**document.KERNEL, **metadata})


def paired(text: str, form: str = pairing.FORM) -> str:
    """Write the text of a notebook that jupytext keeps in step with a script beside it.

    See https://jupytext.readthedocs.io/en/latest/paired-notebooks.html.
    """
    content = document.loads(text)
    metadata = {**content["metadata"], "jupytext": pairing.metadata(form)}
    return document.dumps(content | {"metadata": metadata})
