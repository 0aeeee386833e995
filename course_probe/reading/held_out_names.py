"""Names of data that a script holds out to evaluate on."""

import re

HELD_OUT = re.compile(
    r"(?:(?<![a-z])|(?<=^x)|(?<=^y))"
    r"(?:validation|valid|val|testing|test|te|dev|eval|held|hold)"
    r"(?=$|_|\d|set|data|loader|dl|ds|iter|idx|mask)"
)
"""What marks a name, in small letters, as one of data to evaluate on."""
