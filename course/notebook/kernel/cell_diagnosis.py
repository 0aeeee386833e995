"""`course diagnose` for the cells that were run: a script in the order of their last runs."""

import sys
from collections.abc import Iterable
from pathlib import Path

from course.diagnosis import diagnosis as diagnoses
from course.diagnosis import user_script
from course.diagnosis.diagnosis import Diagnosis
from course.diagnosis.text.source_file import SourceFile
from course.notebook import document
from course.notebook.cells import notebook, script
from course.runs import hub

NAME = "notebook.ipynb"


def source_of(cells: Iterable[str], folder: Path) -> SourceFile:
    """Read the cells as a notebook that lies in a folder, though no file is written.

    Raises:
        Unusable: no cell has code in it, or one has a magic that is not known.

    """
    text = document.text([document.cell("code", cell) for cell in cells], {})
    found = script.of(notebook.read(text, NAME))
    return SourceFile(folder / NAME, found.text, found)


def diagnose(source: SourceFile, seconds: float, *, online: bool, download: bool) -> Diagnosis:
    """Run them with the kernel's own Python, in a copy of the folder; the kernel is left alone.

    `download` allows what is not in the cache to be loaded from the real hub.
    """
    context = user_script.find_context(sys.executable, None if online else hub.EMBEDDED, None)
    return diagnoses.diagnose(source, context, seconds=seconds, download=download)
