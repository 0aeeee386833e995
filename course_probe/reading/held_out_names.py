"""Names of data that a script holds out to evaluate on."""

import ast
import re

from course_probe.reading.script_text import parts

HELD_OUT = re.compile(
    r"(?:(?<![a-z])|(?<=^x)|(?<=^y))"
    r"(?:validation|valid|val|testing|test|te|dev|eval|held|hold)"
    r"(?=$|_|\d|set|data|loader|dl|ds|iter|idx|mask)"
)
"""What marks a name, in small letters, as one of data to evaluate on."""
TRANSLATED = re.compile("测试|验证|留出|тест|валид|провер|отлож")
"""Words of what is held out in the languages that the program speaks beside English."""


def holds_out(tree: ast.Module) -> bool:
    """Return whether a name or word of a script says that rows are held out, as of a test set."""
    called = {getattr(each, "name", None) or getattr(each, "arg", None) for each in ast.walk(tree)}
    called |= {each.id for each in parts(tree, ast.Name)}
    # A mode of a network is called so as well.
    called |= {each.attr for each in parts(tree, ast.Attribute) if each.attr != "eval"}
    words = (each.value for each in parts(tree, ast.Constant) if isinstance(each.value, str))
    return any(HELD_OUT.search(each.lower()) for each in called if each) or any(
        HELD_OUT.search(word) or TRANSLATED.search(word)
        for text in words
        for word in re.findall(r"\w+", text.lower())
    )
