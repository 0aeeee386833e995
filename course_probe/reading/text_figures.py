"""What the text of a script tells by itself of a training: figures that no run changes."""

import ast

from course_probe.reading.answers import scored_against_itself, takes_lowest
from course_probe.reading.row_order import moved_apart
from course_probe.reading.rows import items_apart


def text_figures(tree: ast.Module) -> dict[str, float]:
    """Compute the figures of one script."""
    apart, twice = [each.line for each in items_apart(tree)], scored_against_itself(tree)
    found = {
        **moved_apart(tree),
        "lowest_in_metric": float(takes_lowest(tree)),
        "items_apart": float(len(apart)),
        "scored_against_itself": float(len(twice)),
    }
    firsts = {
        "items_apart_line": apart,
        "against_itself_line": twice,
    }
    return found | {name: float(lines[0]) for name, lines in firsts.items() if lines}
