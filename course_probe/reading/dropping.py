"""How a network is told whether to drop numbers, by a script's text."""

import ast

from course_probe.reading.script_text import around, last_part, named, names, parents, parts

DROPPING = {"dropout", "dropout1d", "dropout2d", "alpha_dropout", "feature_alpha_dropout"}


def is_switched(tree: ast.Module) -> bool:
    """Return whether an argument, or an attribute, says if a dropout of a function is at work.

    It is what `training=` is given, or stands in the condition around the call. The network's own
    mode, `self.training`, is none.
    """
    within = parents(tree)
    for call in parts(tree, ast.Call):
        if last_part(call.func) not in DROPPING:
            continue
        told = named(call).get("training", call.args[2] if len(call.args) > 2 else None)
        outer = [e for e in around(call, within) if isinstance(e, ast.If | ast.IfExp)]
        asked = [*([told] if told is not None else []), *(each.test for each in outer)]
        # Whether a share is above 0 is another question.
        asked = [each for each in asked if not isinstance(each, ast.Compare)]
        function = next((e for e in around(call, within) if isinstance(e, ast.FunctionDef)), None)
        given = {e.arg for e in parts(function.args, ast.arg)} if function is not None else set()
        for each in asked:
            attributes = {ast.unparse(one) for one in parts(each, ast.Attribute)}
            if names(each) & given - {"self"} or attributes - {"self.training"}:
                return True
    return False
