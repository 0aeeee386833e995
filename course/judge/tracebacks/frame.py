"""One level of a quoted traceback: where it lies, and whether that is the learner's own code."""

import re
from dataclasses import dataclass

LIBRARY = "library"
SCRIPT = "__main__"
_INSTALLED = re.compile(r"(?:site|dist)-packages[\\/]+(?:[\w.-]+\.egg[\\/]+)?")
_STANDARD = re.compile(
    r"(?:[\\/][Ll]ib(?:64)?[\\/]+python3?[\d.]*t?|[Pp]ython[\d.]*(?:_\w+)?[\\/]+[Ll]ib"
    r"|conda\d*(?:[\\/]+envs[\\/]+[^\\/]+)?[\\/]+[Ll]ib)[\\/]+"
)
_TRACED = re.compile(r"[\\/]__autograph_generated_file\w+\.py\Z")
"""What a library has made of a function: nobody wrote it."""
_CACHED = re.compile(r"[\\/]modules[\\/]+(?=(?:datasets|evaluate|transformers)_modules[\\/])")
_SOURCE = re.compile(
    r"[\\/]src[\\/]+(?=(?:accelerate|datasets|diffusers|evaluate|peft|transformers)[\\/])"
)
_MADE_UP = re.compile(r"\A<(?!ipython-input|stdin|string|module|cell)[^>]*>?\Z")
"""Code without a file: `<frozen importlib._bootstrap>`, `<decorator-gen-53>`."""
CELL = re.compile(
    r"(?:Cell |Input )?In ?\[\d*\]|<ipython-input-[^>]*>|.*ipykernel_\d+[\\/]\d+\.py\Z"
)


@dataclass(frozen=True)
class QuotedFrame:
    """One level: `line` is 0 and `text` empty where the traceback does not tell them.

    `module` is the name that the code is imported under, as far as its path tells; `__main__` for
    a script or a notebook's cell.
    """

    file: str
    line: int
    function: str = ""
    text: str = ""
    module: str = SCRIPT
    own: bool = True


def place(file: str) -> tuple[str, bool]:
    """Return the module that a file holds, and whether it is the learner's own."""
    if CELL.match(file):
        return SCRIPT, True
    if _MADE_UP.match(file):
        inner = file.strip("<>").removeprefix("frozen ")
        return (inner if re.fullmatch(r"[\w.]+", inner) else LIBRARY), False
    if _TRACED.search(file):
        return LIBRARY, False
    for pattern in (_INSTALLED, _CACHED, _SOURCE, _STANDARD):
        ends = [found.end() for found in pattern.finditer(file)]
        if ends:
            return _dotted(file[ends[-1] :]), False
    return SCRIPT, True


def _dotted(path: str) -> str:
    """Return the name of a module from its file, which is given from its package on."""
    parts = [part for part in re.split(r"[\\/]+", path) if part]
    if parts:
        parts[-1] = re.sub(r"\.(?:py[cx]?|so|pyd|cpython.*)\Z", "", parts[-1])
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) or LIBRARY
