"""jupytext and nbformat, without a grammar of web addresses that would be built as they load.

JupyterLab brings it along for jsonschema. It takes seconds to build, and checks a format of texts
that no notebook has; jsonschema does without it where it is not installed.
"""

import sys

UNUSED = "rfc3987_syntax"

_absent = UNUSED not in sys.modules
if _absent:
    sys.modules[UNUSED] = None  # type: ignore[assignment]
try:
    import jupytext
    import nbformat
finally:
    if _absent:
        del sys.modules[UNUSED]

__all__ = ["jupytext", "nbformat"]
