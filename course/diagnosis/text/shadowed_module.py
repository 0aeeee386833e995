"""Files beside a script that bear the name of a library which it imports."""

import ast
from collections.abc import Iterator
from pathlib import Path

from course.base.i18n import N_
from course.diagnosis.text import installed
from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.text_fault import TextFault
from course.diagnosis.text.words import words

SHADOWS = N_(
    "The script imports {module}. In the script's folder, Python finds your own {file} first, "
    "instead of the library."
)


def find(script: ScriptText, folder: Path) -> Iterator[TextFault]:
    """Each import of a library that a file or folder beside the script takes the place of."""
    seen: set[str] = set()
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        else:
            continue
        for top in (name.partition(".")[0] for name in names):
            own = folder / f"{top}.py"
            package = folder / top / "__init__.py"
            found = own if own.is_file() else package if package.is_file() else None
            if found is None or top in seen or top not in words().libraries:
                continue
            if installed.version(top) is not None or found == own:
                seen.add(top)
                values = {"module": f"`{top}`", "file": f"`{found.relative_to(folder)}`"}
                yield TextFault("shadowed-module", node.lineno, SHADOWS, values)
