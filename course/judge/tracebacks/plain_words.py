"""The class of an exception whose words were quoted without it: Python's own words tell it.

They are those of CPython 3.8 to 3.14 (`Python/ceval.c`, `Objects/*.c`, and what `os` raises).
"""

import re

_FIRST_LINES = 2000
"""Characters of a text in which they are looked for."""
_KINDS = {
    "TypeError": (
        r"\w\(\) (?:got (?:an unexpected keyword argument|multiple values for argument)"
        r"|missing \d+ required (?:positional|keyword-only) argument"
        r"|takes (?:from )?\d+(?: to \d+)? positional arguments? but \d+ (?:was|were) given)"
        r"|'\w+' object (?:is not (?:callable|subscriptable|iterable)"
        r"|cannot be interpreted as an integer|does not support item assignment)"
        r"|unsupported operand type\(s\) for"
    ),
    "AttributeError": r"'[\w.]+' object has no attribute '\w+'"
    r"|(?:module|type object) '[\w.]+' has no attribute '\w+'",
    "NameError": r"\bname '\w+' is not defined",
    "ModuleNotFoundError": r"\bNo module named '?[\w.]+",
    "ImportError": r"\bcannot import name '?\w+|DLL load failed while importing",
    "IndexError": r"\b(?:list|tuple|string) index out of range\Z",
    "ZeroDivisionError": r"(?:float |integer )?division (?:or modulo )?by zero\Z",
    "ValueError": (
        r"\A(?:(?:not enough|too many) values to unpack|could not convert string to float:)"
    ),
    "FileNotFoundError": r"\[Errno 2\] No such file or directory",
    "PermissionError": r"\[Errno 13\] Permission denied",
    "OSError": r"\[Errno 28\] No space left on device",
}
_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _KINDS.items()}


def kind(message: str) -> str:
    """Return the class that raises these words; empty where no words of Python's are in them."""
    first = message[:_FIRST_LINES]
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.search(first)), "")
