"""What a script was given on its command line in place of a default that its text has."""

import ast
from collections.abc import Sequence

from course.diagnosis.text.script_text import ScriptText
from course_probe.reading.script_text import named


def replaced(script: ScriptText, arguments: Sequence[str]) -> dict[int, str]:
    """Find the lines of defaults that the command line has replaced, each with its words.

    A default is that of an option, `add_argument("--lr", default=0.1)`, or that of a field of a
    class that a parser reads, `learning_rate: float = 0.1`.
    """
    given = _options(arguments)
    found: dict[int, str] = {}
    if not given:
        return found
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Call):
            names = [
                each.value.lstrip("-").replace("-", "_")
                for each in node.args
                if isinstance(each, ast.Constant)
                and isinstance(each.value, str)
                and each.value.startswith("-")
            ]
            default = named(node).get("default")
            words = next((given[name] for name in names if name in given), None)
            if words is not None and default is not None:
                found[default.lineno] = words
        elif isinstance(node, ast.ClassDef):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                    words = given.get(field.target.id)
                    if words is not None and field.value is not None:
                        found[field.lineno] = words
    return found


def _options(arguments: Sequence[str]) -> dict[str, str]:
    """Each option of a command line, as its parser names it, with what is written there."""
    found: dict[str, str] = {}
    for number, each in enumerate(arguments):
        if each == "--":
            break
        if not each.startswith("-") or _is_number(each):
            continue
        name, sign, _value = each.partition("=")
        following = arguments[number + 1] if number + 1 < len(arguments) else "--"
        has_value = not sign and (not following.startswith("-") or _is_number(following))
        # Given twice, the last one counts.
        words = f"{each} {following}" if has_value else each
        found[name.lstrip("-").replace("-", "_")] = words
    return found


def _is_number(text: str) -> bool:
    """Whether it is a value and no option, though it begins with a minus sign."""
    try:
        float(text)
    except ValueError:
        return False
    return True
