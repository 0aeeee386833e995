"""Pre-trained weights that a script never loads, or draws anew, by its text.

`from_config` makes a network of a checkpoint's shape, with weights of chance. To train a head for a
task on those is hardly meant where the tokenizer is the checkpoint's, and nothing else is loaded.
"""

import ast
import re

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import last_part, method, names, own_nodes, parts, scopes

TASKS = re.compile(r"For(?:\w+Classification|QuestionAnswering|MultipleChoice)$")
"""What ends the names of networks with a head for a task, which begin with a checkpoint."""
LOADING = re.compile(r"^load_(?:state_dict|model|file|weights)$|(?:Model\w*|For[A-Z]\w+)\.from_pre")
MEANT = re.compile(r"(?i)scratch|ablat|random_?init|untrained")
DRAWING = re.compile(r"(?<!requires_grad)_$|^reset_parameters$|init_weights$")
"""Functions and methods that draw weights, in place."""


def never_loaded(tree: ast.Module) -> list[int]:
    """Find the lines that make a network of a checkpoint's shape, or draw its weights anew."""
    if MEANT.search(ast.unparse(tree)):
        return []
    calls, flow, found = parts(tree, ast.Call), Flow(tree), set[int]()
    called = [*map(last_part, (c.func for c in calls)), *(ast.unparse(c.func) for c in calls)]
    has_tokenizer = any(re.search(r"(?:Tokenizer|Processor)\w*\.from_pre", e) for e in called)
    if has_tokenizer and not any(map(LOADING.search, called)):
        for scope in scopes(tree):
            for call in (e for e in own_nodes(scope.body) if isinstance(e, ast.Call)):
                is_shape = method(call) == "from_config" and isinstance(call.func, ast.Attribute)
                kind = call.func.value if is_shape else call.func  # type: ignore[attr-defined]
                given = [*call.args[:1], *(e.value for e in call.keywords if e.arg == "config")]
                made = [each for one in given for each in flow.origins(TextValue(one, scope))]
                if TASKS.search(last_part(kind)) and any(map(_is_loaded, (e.node for e in made))):
                    found.add(call.lineno)
    networks = {
        ast.unparse(each.targets[0])
        for each in parts(tree, ast.Assign)
        if _is_loaded(each.value) and LOADING.search(ast.unparse(each.value))
    }
    # Who asks which of its layers it is, draws some only.
    drawing = {
        each.name
        for each in parts(tree, ast.FunctionDef)
        if any(DRAWING.search(last_part(call.func)) for call in parts(each, ast.Call))
        if not names(each) & networks
    }
    return sorted(
        found
        | {
            call.lineno
            for call in calls
            if method(call) == "apply" and names(ast.Tuple(call.args)) & drawing
            if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in networks
        }
    )


def _is_loaded(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and method(node) == "from_pretrained"
