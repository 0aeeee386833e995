"""Uses of what a library dropped that need more than another name, written as it has them today.

Each function returns None where a person has to choose: where a use is none of those known here.
"""

import ast
from collections.abc import Iterator, Mapping

from course.diagnosis.text.script_text import Function, ScriptText
from course.exercise.patch import Splice

WITHOUT_SUCCESSOR = ("lfs_track", "lfs_enable_largefiles", "git_pull")
"""Methods of a clone of a repository that have nothing to do where files go by HTTP."""
CLONED = ("local_dir", "clone_from")
CALLED = ("create_repo", "snapshot_download", "upload_folder")


Rewritten = tuple[list[Splice], list[str]]
"""The edits of the uses of a name, and the names of its library that they need instead."""


def functions(script: ScriptText, bound: str, today: Mapping[str, str]) -> Rewritten | None:
    """Call a function of `today` for each method of a class without a state: `HfFolder`."""
    edits: list[Splice] = []
    for use in _uses(script, bound):
        outer = next(script.around(use))
        if not isinstance(outer, ast.Attribute) or outer.attr not in today:
            return None
        edits.append((*script.span(outer), today[outer.attr]))
    return (edits, sorted({new for *_span, new in edits})) if edits else None


def repository(script: ScriptText, bound: str) -> Rewritten | None:
    """Upload a folder by HTTP where a clone of a repository was pushed: `Repository`.

    https://huggingface.co/docs/huggingface_hub/concepts/git_vs_http
    """
    edits: list[Splice] = []
    for use in _uses(script, bound):
        call = next(script.around(use))
        made = script.statement_of(use)
        if not (isinstance(made, ast.Assign) and made.value is call and isinstance(call, ast.Call)):
            return None
        repo = made.targets[0]
        given = _given(call, CLONED) or {}
        is_plain = call.func is use and all(_stays(script, value) for value in given.values())
        if not is_plain or set(given) != set(CLONED) or not isinstance(repo, ast.Name):
            return None
        folder, address = (script.code(given[name]) for name in CLONED)
        opened = script.value_of(given["clone_from"])
        is_open = isinstance(opened, ast.Call) and "create_repo" in script.code(opened.func)
        # What `create_repo` returns is an address, which knows the repository's name.
        name = f"{address}.repo_id, repo_type={address}.repo_type" if is_open else address
        _line, indent = script.indent(made)
        lines = [f"snapshot_download({name}, local_dir={folder})"]
        if not is_open:
            lines.insert(0, f"create_repo({address}, exist_ok=True)")
        edits.append((*script.span(made), f"\n{indent}".join(lines)))
        pushes = _pushes(script, repo.id, f"repo_id={name}, folder_path={folder}")
        if indent.strip() or pushes is None:
            return None
        edits += pushes
    texts = "".join(text for *_span, text in edits)
    names = [name for name in CALLED if f"{name}(" in texts]
    return (edits, names) if edits else None


def _pushes(script: ScriptText, repo: str, place: str) -> list[Splice] | None:
    """Make the edits of what is called on a clone; the folder and its repository are `place`."""
    edits = []
    for use in _uses(script, repo):
        method, call = [*script.around(use)][:2]
        if not (isinstance(method, ast.Attribute) and isinstance(call, ast.Call)):
            return None
        statement = script.statement_of(call)
        given = _given(call, ("commit_message", "blocking"))
        is_line = script.is_alone(statement) and len(script.block(statement)) > 1
        if method.attr in WITHOUT_SUCCESSOR and is_line:
            edits.append((script.indent(statement)[0], script.line_after(statement), ""))
        elif method.attr == "push_to_hub" and given is not None:
            words = [place]
            if "commit_message" in given:
                words.append(f"commit_message={script.code(given['commit_message'])}")
            blocking = given.get("blocking")
            if isinstance(blocking, ast.Constant) and not blocking.value:
                words.append("run_as_future=True")
            edits.append((*script.span(call), f"upload_folder({', '.join(words)})"))
        else:
            return None
    return edits


def targets(script: ScriptText, method: ast.Attribute) -> tuple[Splice, ...]:
    """Give the texts of labels as `text_target` where `as_target_tokenizer` was entered."""
    entered = next((node for node in script.around(method) if isinstance(node, ast.stmt)), None)
    if not isinstance(entered, ast.With) or len(entered.items) != 1:
        return ()
    item = entered.items[0]
    tokenizer = ast.unparse(method.value)
    first = entered.body[0]
    inner = [node for statement in entered.body for node in ast.walk(statement)]
    calls = [n for n in inner if isinstance(n, ast.Call) and ast.unparse(n.func) == tokenizer]
    texts = [n for n in inner if isinstance(n, ast.Constant | ast.JoinedStr)]
    # A comment between the two would go, and the lines of a long text would lose their indent.
    is_plain = first.lineno == (item.context_expr.end_lineno or 0) + 1
    is_plain = is_plain and all(text.lineno == text.end_lineno for text in texts)
    if item.optional_vars or not is_plain or not calls or any(len(c.args) != 1 for c in calls):
        return ()
    edits = [(script.span(entered)[0], script.span(first)[0], "")]
    for line in range(first.lineno + 1, (entered.end_lineno or 0) + 1):
        start, outer = (
            script.offset(line, entered.col_offset),
            script.offset(line, first.col_offset),
        )
        if not script.text[start:outer].strip():
            edits.append((start, outer, ""))
    starts = [script.span(call.args[0])[0] for call in calls]
    return (*edits, *((start, start, "text_target=") for start in starts))


def aggregated(script: ScriptText) -> Iterator[tuple[ast.Attribute, str]]:
    """Yield the uses of `.mid` of a ROUGE score, each with the score itself, a plain number.

    In the place of `.mid.precision` and `.mid.recall` there is nothing: the score is the F measure.
    """
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Attribute) and node.attr == "mid":
            outer = next(script.around(node))
            part = outer if isinstance(outer, ast.Attribute) else node
            yield part, script.code(node.value) if part.attr in ("mid", "fmeasure") else ""


def columns(script: ScriptText) -> Iterator[ast.Subscript]:
    """Yield the columns of data that a tokenizer is given whole: `data["train"]["text"]`."""
    maker = "Tokenizer.from_pretrained"
    tokenizers = {made.name for made in script.made if maker in script.code(made.value)}
    for name, call in script.calls():
        for given in call.args if name in tokenizers else ():
            match given:
                case ast.Subscript(ast.Subscript(_, ast.Constant(str())), ast.Constant(str())):
                    yield given


def _uses(script: ScriptText, name: str) -> list[ast.Name]:
    """List where a name is read, but not in functions that take an argument of that name."""
    found = [node for node in ast.walk(script.tree) if isinstance(node, ast.Name)]
    return [
        node
        for node in found
        if node.id == name and isinstance(node.ctx, ast.Load) and not _is_argument(script, node)
    ]


def _is_argument(script: ScriptText, node: ast.Name) -> bool:
    functions = (each for each in script.around(node) if isinstance(each, Function))
    return any(
        arg.arg == node.id
        for f in functions
        for arg in ast.walk(f.args)
        if isinstance(arg, ast.arg)
    )


def _given(call: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr] | None:
    """Return the arguments of a call by their names; None where there are others."""
    keywords = {str(each.arg): each.value for each in call.keywords}
    if len(call.args) > len(names) or not set(keywords) <= set(names):
        return None
    return {**dict(zip(names, call.args, strict=False)), **keywords}


def _stays(script: ScriptText, value: ast.expr) -> bool:
    """Whether an expression means the same wherever it is written: a text, a name given once."""
    if isinstance(value, ast.Name):
        return len(script.assigned.get(value.id, [])) < 2
    return isinstance(value, ast.Constant)
