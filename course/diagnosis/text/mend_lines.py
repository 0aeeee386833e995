"""The lines in which a fault may have to be mended, the likeliest first.

The line that a traceback ends in is often only where a fault comes to light: a layer of the wrong
size was made in another one, a loss chosen far above. So the line itself comes first, and then what
its text and its names lead to: what the message speaks of, the layer of the size that was measured,
what made the names in the line, and the lines that called.

Of a library's `fit`, and of a Trainer's `train`, that line is the least likely: it stands behind
what the call was given. So does one that only hands a batch on: the head of a loop over a loader, a
call of the model with all that the batch has, a loss that goes backward.
"""

import ast
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from course.diagnosis.text import command_line, fit_call, place, trainer_call
from course.diagnosis.text.fit_call import FitCall
from course.diagnosis.text.makers import find_makers, find_names, follow
from course.diagnosis.text.origins import carried, find_origins, loops_around
from course.diagnosis.text.script_text import ScriptText, keyword
from course.diagnosis.text.trainer_call import TrainerCall
from course.runs.libraries import LIBRARIES
from course_probe.reading.row_order import pairing

ARGUMENTS = ("message", "keyword")
"""Places that may be within a call."""
HEADS = "call (?i)(model|for\\w+)\\.from_(pretrained|config)$"
"""Where a model of transformers is made."""
STATES = "last_hidden_state"
TOKENS = 3
"""Axes of outputs that have one for each token."""
NEARBY = 12
"""Lines between what takes a result apart, and what can't use a part of it."""
PAIR = 2
"""What a loss is given: outputs, and labels."""
MOST = 3
"""Lines that are named for one fault."""
ORIGIN = "origin "
"""What asks for an argument of any call, and for what made it."""
OTHERWISE = ("message", "made", "caller")
"""What is looked for last, of a fault that was raised."""
WORD = re.compile(r"[A-Za-z]+")
NUMBER = re.compile(r"\d+")
NAME = re.compile(r"\w+")
QUOTED = re.compile(r"""['"](\w+)['"]""")
LOCAL = re.compile(r"(\w+)\.<locals>\.(<lambda>|\w+)")
"""How a message names a function within another."""
METHOD = re.compile(r"\b(\w+)\(\)")
CALLED = re.compile(r"\b(\w+)\.call\(\)")
PATH = re.compile(r"(\w+?)(?:_\d+)?/")
"""Layers in the name of an operation, such as `model_1/dense_2_1/MatMul`."""
AXES = re.compile(r"ndim=(?P<wanted>\d+), found ndim=(?P<found>\d+)")
"""How a library tells of an axis too few."""
RECEIVED = re.compile(r"found ndim=2\. Full shape received: \(None, (?P<size>\d+)\)")
"""How a library tells of a layer that got what another gave for a whole sequence."""
SMALL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a name in capitals is cut, to count layers as a library does: `BatchNormalization`."""
INPUTS = ("call Input$", "keyword input_shape", "keyword batch_input_shape", "keyword input_dim")
"""Where a model is told what it will be given."""
ANSWERING = {"call", "forward", "train_step"}
"""Methods of a model that a library uses the results of."""
WHOLE = {"sequential", "functional", "model"}
LONG = 4
"""Letters of a word that is quoted as it stands in the script."""
LEAST = 2
"""Parts of an argument's name that a message must have, if it has not the name itself."""
DEEPEST = 3
"""Names that are followed from one to the next for a number."""
SUMS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


@dataclass(frozen=True)
class Clue:
    """What is known of how a fault came to light.

    `lines` are those of the script in the traceback, the innermost first; of a silent fault what
    its figures tell, mostly none.
    `state` are the facts of that moment, as the run record has them. `arguments` are what the
    script was given on its command line.
    """

    lines: Sequence[int] = ()
    message: str = ""
    state: Mapping[str, float | str] = field(default_factory=dict)
    arguments: Sequence[str] = ()


def told(figures: Mapping[str, float]) -> tuple[int, ...]:
    """The lines that the figures of a silent fault tell themselves."""
    return tuple(int(value) for name, value in figures.items() if name.endswith("_line"))


def find(script: ScriptText, fault: str, clue: Clue) -> tuple[int, ...]:
    """The lines to look at for a fault, three at the most; the first is where it came to light.

    Where that is within a library's `fit`, it stands behind the lines that made what is wrong. A
    default is none of them where the command line gave another value.

    Raises:
        ContentError: the list of places breaks its format; says where.

    """
    given = command_line.replaced(script, clue.arguments)
    found = (line for line in _all(script, fault, clue) if line not in given)
    return tuple(islice(dict.fromkeys(found), MOST))


def find_given(script: ScriptText, fault: str, clue: Clue) -> str:
    """What the command line gave in place of a default that is among those lines; or nothing.

    Raises:
        ContentError: the list of places breaks its format; says where.

    """
    given = command_line.replaced(script, clue.arguments)
    if not given:
        return ""
    return next((given[line] for line in _all(script, fault, clue) if line in given), "")


def find_callers(script: ScriptText, fault: str, clue: Clue) -> tuple[int, ...]:
    """The lines of a script to look at for a fault that came to light in another file of its.

    None but where the script makes the network in which a size does not fit.
    """
    found = _of_network(script, clue) if "network" in place.listed().get(fault, ()) else ()
    return tuple(islice(dict.fromkeys(found), MOST))


def _all(script: ScriptText, fault: str, clue: Clue) -> Iterator[int]:
    call = _fit_call(script, clue)
    if call is not None and call.kind == "fit":
        yield from _led(script, clue, place.listed_of_fits().get(fault, ()))
    kinds = place.listed().get(fault, ())
    if clue.lines and clue.message:
        trainer = _trainer(script, clue)
        if trainer is not None:
            yield from _led(script, clue, place.listed_of_trainers().get(fault, ()))
        yield from _led(script, clue, place.listed_before().get(fault, ()))
        yield from _within(script, clue, kinds)
        if trainer is not None or _hands_on(script, clue.lines[0]):
            yield from _led(script, clue, kinds)
    yield from clue.lines[:1]
    yield from _led(script, clue, (*kinds, *(OTHERWISE if clue.message else ())))


def _led(script: ScriptText, clue: Clue, kinds: Sequence[str]) -> Iterator[int]:
    """The lines that places and leads come to."""
    for each in kinds:
        led = LEADS.get(each)
        if led is not None:
            yield from led(script, clue)
        elif each.startswith(ORIGIN):
            yield from _origins_of(script, each.removeprefix(ORIGIN))
        else:
            yield from place.lines(script, each)


def _origins_of(script: ScriptText, name: str) -> Iterator[int]:
    """Where arguments of this name are given, and what made what they are given."""
    for _name, call in script.calls():
        given = keyword(call, name)
        if given is not None:
            made = find_origins(script, given.value, (given.value.lineno,))
            yield from (each.lineno for each in (given.value, *made))


def _within(script: ScriptText, clue: Clue, kinds: Sequence[str]) -> Iterator[int]:
    """Lines of the arguments of a call that has several lines: its first one is rarely mended."""
    statement = script.statement_at(clue.lines[0])
    if not isinstance(statement, ast.Expr | ast.Assign) or not isinstance(
        statement.value, ast.Call
    ):
        return
    last = statement.end_lineno or statement.lineno
    found = _led(script, clue, [each for each in kinds if each.startswith(ARGUMENTS)])
    yield from (line for line in found if statement.lineno < line <= last)


def _hands_on(script: ScriptText, line: int) -> bool:
    """Whether a line only hands on what was made elsewhere."""
    statement = script.statement_at(line)
    if isinstance(statement, ast.For):
        return statement.lineno == line
    if not isinstance(statement, ast.Expr | ast.Assign) or not isinstance(
        statement.value, ast.Call
    ):
        return False
    call = statement.value
    is_backward = isinstance(call.func, ast.Attribute) and call.func.attr == "backward"
    return is_backward or (not call.args and any(each.arg is None for each in call.keywords))


def _trainer(script: ScriptText, clue: Clue) -> TrainerCall | None:
    """The Trainer that the script's innermost line has train or evaluate."""
    return trainer_call.find(script, clue.lines[0]) if clue.lines and clue.message else None


def _of_trainer(what: str) -> Callable[[ScriptText, Clue], Iterator[int]]:
    """What the Trainer was given whose training failed."""

    def lines(script: ScriptText, clue: Clue) -> Iterator[int]:
        call = _trainer(script, clue)
        if call is not None:
            look: Iterator[int] = getattr(call, what)()
            yield from look

    return lines


def _of_label_columns(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Where an entry of a row is written that is, or becomes, its label."""
    columns = trainer_call.label_columns(script)
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Dict):
            keys = (key for key in node.keys if isinstance(key, ast.Constant))
            yield from (key.lineno for key in keys if key.value in columns)


def _of_method(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Functions of the script that the message names: `OwnTrainer.compute_loss()`."""
    names = set(METHOD.findall(clue.message))
    for node in ast.walk(script.tree):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            yield node.lineno


def _of_head(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Where a model of transformers is told how many outputs it has, if it has another number."""
    outputs, target = (clue.state.get(f"{side}.ndim") for side in ("outputs", "target"))
    labels = clue.state.get("model.labels")
    if labels is None or labels != clue.state.get("outputs.classes") or outputs != target:
        return
    for each in ("keyword num_labels", "keyword problem_type", "call Config$", HEADS):
        yield from place.lines(script, each)


def _of_tokens(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Where the states of all tokens are taken, and the loss has one label for each text."""
    outputs, target = (clue.state.get(f"{side}.ndim") for side in ("outputs", "target"))
    if outputs != TOKENS or target != 1:
        return
    inner = {id(n.value) for n in ast.walk(script.tree) if isinstance(n, ast.Subscript)}
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Attribute) and node.attr == STATES and id(node) not in inner:
            yield node.lineno


def _unpacked(script: ScriptText, clue: Clue) -> Iterator[int]:
    """What takes a result apart, of which the line has a part."""
    statement = script.statement_at(clue.lines[0]) if clue.lines else None
    names = set(find_names(statement)) if statement is not None else set()
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        parts = [e for t in node.targets if isinstance(t, ast.Tuple) for e in t.elts]
        is_near = 0 <= clue.lines[0] - node.lineno <= NEARBY
        if is_near and names & {each.id for each in parts if isinstance(each, ast.Name)}:
            yield node.lineno


def _of_answers(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Where the answers were taken that the line has."""
    if clue.lines:
        taken = set(place.lines(script, "call arg(max|min)$"))
        yield from (line for line in (clue.lines[0], *_made(script, clue)) if line in taken)


def _loaders(script: ScriptText, clue: Clue) -> Iterator[int]:
    """The loaders of the loops that the lines of the traceback are in."""
    for loop, at in loops_around(script, clue.lines):
        for made in find_origins(script, loop.iter, (loop.lineno, *clue.lines[at + 1 :])):
            if isinstance(made, ast.Call) and "DataLoader" in ast.unparse(made.func):
                yield made.lineno
    statement = script.statement_at(clue.lines[0]) if clue.lines else None
    if isinstance(statement, ast.For):
        # Whatever has been put around it since.
        names = set(find_names(statement.iter))
        for known, value in find_makers(script):
            is_loader = isinstance(value, ast.Call) and "DataLoader" in ast.unparse(value.func)
            if known in names and is_loader:
                yield value.lineno


def _target(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Where the labels were made that the line compares outputs with."""
    statement = script.statement_at(clue.lines[0]) if clue.lines else None
    calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call)] if statement else []
    for call in calls:
        given = keyword(call, "target") or keyword(call, "labels")
        if given is not None or len(call.args) == PAIR:
            value = given.value if given is not None else call.args[1]
            yield from (made.lineno for made in find_origins(script, value, clue.lines))
            return


def _carried(script: ScriptText, clue: Clue) -> Iterator[int]:
    """What is made of itself from step to step, in the loops that the line is in."""
    yield from carried(script, clue.lines[0]) if clue.lines else ()


def _local(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Functions within others that the message names: `outer.<locals>.<lambda>`."""
    for outer, inner in LOCAL.findall(clue.message):
        for function in ast.walk(script.tree):
            if not isinstance(function, ast.FunctionDef) or function.name != outer:
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Lambda | ast.FunctionDef):
                    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
                    yield from [node.lineno] if name == inner else []


def _tokenizing(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Where a tokenizer is called."""
    yield from trainer_call.tokenizing(script)


def _fit_call(script: ScriptText, clue: Clue) -> FitCall | None:
    """The `fit`, or the call of a loss, that the traceback ends in."""
    if not clue.lines or not clue.message:
        return None
    return fit_call.find(script, clue.lines[0], clue.message, clue.state)


def _of_fit(what: str) -> Callable[[ScriptText, Clue], Iterator[int]]:
    """What the call that a training failed in was given."""

    def lines(script: ScriptText, clue: Clue) -> Iterator[int]:
        call = _fit_call(script, clue)
        if call is not None:
            look: Iterator[int] = getattr(call, what)()
            yield from look

    return lines


def _of_message(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Arguments that the message names, or whose value it has: a word, or a number and its name."""
    words = set(WORD.findall(clue.message.lower()))
    numbers = set(NUMBER.findall(clue.message))
    said = {word for word in NAME.findall(clue.message) if len(word) >= LONG}
    full, near = [], []
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.keyword) or node.arg is None:
            continue
        parts = node.arg.lower().split("_")
        listed = node.value.elts if isinstance(node.value, ast.List) else [node.value]
        is_said = any(isinstance(each, ast.Constant) and each.value in said for each in listed)
        is_named = f"'{node.arg}'" in clue.message or (len(parts) > 1 and node.arg in clue.message)
        if is_said or is_named:
            full.append(node.value.lineno)
        elif ast.unparse(node.value) in numbers and len(words.intersection(parts)) >= LEAST:
            near.append(node.value.lineno)
    yield from sorted(full)
    yield from sorted(near)


def _of_layers(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Layers that take as much as the one that failed wants, or give as much as it got."""
    kind, wants, got = (clue.state.get(f"layer.{name}") for name in ("kind", "wants", "got"))
    for name, call in script.calls():
        sizes = [_value(script, each) for each in (*call.args, *(k.value for k in call.keywords))]
        if kind is not None and name.rpartition(".")[2] == kind and wants in sizes:
            yield from _with_default(script, call)
    received = RECEIVED.search(clue.message)
    giving = [
        (call.lineno, call.func.end_lineno or call.lineno)
        for name, call in script.calls()
        if received is not None
        and name.rpartition(".")[2][:1].isupper()
        and call.args
        and _value(script, call.args[0]) == int(received["size"])
    ]
    line = clue.lines[0] if clue.lines else 0
    yield from (end for start, end in reversed(giving) if start != line)
    for _name, call in _layers(script):
        if got is not None and _value(script, call.args[1]) == got:
            yield from _with_default(script, call)


def _of_outputs(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Layers that give as many numbers as the outputs have, the last one first."""
    yield from fit_call.told_line(clue.state, "outputs.line")
    outputs = clue.state.get("outputs.classes")
    for _name, call in reversed(list(_layers(script))):
        if outputs is not None and _value(script, call.args[1]) == outputs:
            yield from _with_default(script, call)


def _of_network(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Where a network of a class of one's own was made, and told its sizes.

    It is among what the lines of the traceback work with: a name of theirs, or what made that.
    """
    makers = list(find_makers(script))
    statements = [script.statement_at(line) for line in clue.lines]
    names = [name for each in statements if each is not None for name in find_names(each)]
    for name in names:
        for value in (made for known, made in makers if known == name):
            # What grows while it is gone through: what a value is made of.
            names += [each for each in find_names(value) if each not in names]
            if isinstance(value, ast.Call) and (value.args or value.keywords):
                kind = script.qualified(value.func)
                package, last = kind.partition(".")[0], kind.rpartition(".")[2]
                if last[:1].isupper() and package not in LIBRARIES:
                    yield from _with_default(script, value)


def _of_name(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Layers by the name that the message has: given by the script, or counted by the library."""
    yield from fit_call.told_line(clue.state, "named.line")
    said = {*QUOTED.findall(clue.message), *PATH.findall(clue.message)} - WHOLE
    called = {*CALLED.findall(clue.message)}
    count: Counter[str] = Counter()
    for name, call in script.calls():
        kind = SMALL.sub("_", name.rpartition(".")[2]).lower()
        named = keyword(call, "name")
        given = named.value.value if named and isinstance(named.value, ast.Constant) else None
        known = given or (f"{kind}_{count[kind]}" if count[kind] else kind)
        count[kind] += given is None
        last = name.rpartition(".")[2]
        if last in called or (last[:1].isupper() and known in said):
            yield call.func.end_lineno or call.lineno


def _unbuilt(script: ScriptText, clue: Clue) -> Iterator[int]:
    """The layer that a message names, where the script declares no input.

    With one, layers that do not fit are found as they are put together, and data alone later.
    """
    if not any(place.lines(script, each) for each in INPUTS):
        yield from _of_name(script, clue)


def _of_embedding(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Tables of ids with as many rows as the one that an id was not in.

    Where the class of the line was handed that number, the number is mostly wrong there.
    """
    rows = clue.state.get("embedding.rows")
    here = _classes(script, clue.lines[0]) if clue.lines else []
    handed: list[tuple[ast.Call, ast.expr]] = []
    for name, call in script.calls():
        named = keyword(call, "num_embeddings") or keyword(call, "input_dim")
        size = named.value if named is not None else next(iter(call.args), None)
        if name.rpartition(".")[2] != "Embedding" or size is None:
            continue
        value = _value(script, size)
        if rows is None or value == rows:
            yield from _with_default(script, call)
        elif value is None and here and _classes(script, call.lineno) == here:
            handed.append((call, size))
    for call, size in handed:
        yield call.lineno
        for kind, making in script.calls():
            if kind in here:
                yield making.lineno
                made = find_origins(script, size, (call.lineno, making.lineno))
                yield from (each.lineno for each in made)


def _classes(script: ScriptText, line: int) -> list[str]:
    """The classes that a line is in."""
    classes = (n for n in ast.walk(script.tree) if isinstance(n, ast.ClassDef))
    return [n.name for n in classes if n.lineno <= line <= (n.end_lineno or 0)]


def _of_data(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """What the Trainer and the loaders are given to take examples from."""
    for name, call in script.calls():
        given = keyword(call, "train_dataset") or keyword(call, "dataset")
        value = given.value if given is not None else None
        if value is None and name.rpartition(".")[2] == "DataLoader":
            value = next(iter(call.args), None)
        for wanted in find_names(value) if value is not None else ():
            yield from (made.lineno for known, made in find_makers(script) if known == wanted)


def _moved_alone(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """What puts inputs and labels into different orders."""
    yield from (each.line for each in pairing(script.tree).apart)


def _layers(script: ScriptText) -> Iterator[tuple[str, ast.Call]]:
    """Calls that may make a layer: a class that is given at least what it takes and gives."""
    for name, call in script.calls():
        if name.rpartition(".")[2][:1].isupper() and len(call.args) > 1:
            yield name, call


def _with_default(script: ScriptText, call: ast.Call) -> Iterator[int]:
    """The line of a call, and those where the names in it are arguments with a default."""
    yield call.func.end_lineno or call.lineno
    names = {n.id for each in call.args for n in ast.walk(each) if isinstance(n, ast.Name)}
    yield from (value.lineno for name, value in _defaults(script) if name in names)


def _defaults(script: ScriptText) -> Iterator[tuple[str, ast.expr]]:
    """Arguments of the script's own functions that have a default, with it."""
    for node in ast.walk(script.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            with_one = given.args[len(given.args) - len(given.defaults) :]
            yield from ((a.arg, value) for a, value in zip(with_one, given.defaults, strict=True))
            for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
                if value is not None:
                    yield each.arg, value


def _value(script: ScriptText, node: ast.expr, deep: int = DEEPEST) -> int | None:
    """A whole number that an expression stands for, as far as the text alone tells."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name) and deep:
        made = [v for name, v in find_makers(script) if name == node.id]
        values = made or [v for name, v in _defaults(script) if name == node.id]
        sizes = {_value(script, each, deep - 1) for each in values}
        return sizes.pop() if len(sizes) == 1 else None
    if isinstance(node, ast.BinOp) and type(node.op) in SUMS:
        left, right = (_value(script, side, deep) for side in (node.left, node.right))
        if left is not None and right is not None:
            return SUMS[type(node.op)](left, right)
    return None


def _made(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Where the names in the line were made, and then the names that stand there."""
    if not clue.lines:
        return
    line = clue.lines[0]
    statement = script.statement_at(line)
    if statement is None:
        return
    said = set(NAME.findall(clue.message))
    parts = {part for name in said if "_" in name for part in name.split("_") if len(part) >= LONG}
    for node in ast.walk(statement):
        # What the message speaks of by the name that it has here may come from a call further out.
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in said:
            made = (each.lineno for each in find_origins(script, node, clue.lines))
            yield from (each for each in made if each != line)
        elif isinstance(node, ast.keyword) and node.arg and node.arg in said | parts:
            made = (each.lineno for each in find_origins(script, node.value, clue.lines))
            yield from (each for each in made if each != line)
    yield from follow(script, find_names(statement), line)


def _around(script: ScriptText, clue: Clue) -> Iterator[int]:
    """The `fit` that called the line."""
    for line in clue.lines[1:]:
        call = fit_call.find(script, line, clue.message, clue.state)
        if call is not None:
            yield from (*call.reshaped(), line)


def _of_row(script: ScriptText, clue: Clue) -> Iterator[int]:
    """The loop that gives a single row where a batch is wanted, and what it goes over."""
    found = AXES.search(clue.message)
    statement = script.statement_at(clue.lines[0]) if clue.lines else None
    if found is None or int(found["found"]) != int(found["wanted"]) - 1 or statement is None:
        return
    names = {*find_names(statement)}
    for node in ast.walk(script.tree):
        if isinstance(node, ast.For) and names & {
            each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)
        }:
            yield node.lineno
            yield from islice(follow(script, find_names(node.iter), node.lineno), 1)


def _differentiated(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Where a loss was computed that a tape is asked for the gradients of."""
    for _name, call in script.calls():
        if isinstance(call.func, ast.Attribute) and call.func.attr == "gradient" and call.args:
            yield from islice(follow(script, find_names(call.args[0]), call.lineno), 1)


def _unreturned(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Functions that return nothing, and whose result is used: the last statement of each."""
    # What a function was given may have been made where it was called.
    statements = [script.statement_at(line) for line in clue.lines[:2]]
    names = {name for each in statements if each is not None for name in find_names(each)}
    made = [value for name, value in find_makers(script) if name in names]
    called = {n.func.id for n in made if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    for node in ast.walk(script.tree):
        if isinstance(node, ast.FunctionDef) and node.name in {
            "call",
            "forward",
            "train_step",
            *called,
        }:
            returned = (n for n in ast.walk(node) if isinstance(n, ast.Return) and n.value)
            if next(returned, None) is None:
                yield node.body[-1].lineno
                yield node.lineno


def _callers(_script: ScriptText, clue: Clue) -> Iterator[int]:
    """The lines of the script that called."""
    yield from clue.lines[1:]


def _imports(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Where the script imports: its first import, and its last."""
    lines = [n.lineno for n in script.tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    yield from lines[:1]
    yield from lines[-1:]


LEADS: dict[str, Callable[[ScriptText, Clue], Iterator[int]]] = {
    "message": _of_message,
    "layer": _of_layers,
    "named": _of_name,
    "unbuilt": _unbuilt,
    "outputs": _of_outputs,
    "network": _of_network,
    "embedding": _of_embedding,
    "data": _of_data,
    "made": _made,
    "caller": _callers,
    "imports": _imports,
    "moved": _moved_alone,
    "fit inputs": _of_fit("inputs"),
    "fit labels": _of_fit("labels"),
    "fit loss": _of_fit("loss"),
    "fit odd": _of_fit("odd"),
    "fit uneven": _of_fit("uneven"),
    "fit reshaped": _of_fit("reshaped"),
    "fit sides": _of_fit("sides"),
    "fit around": _around,
    "row": _of_row,
    "differentiated": _differentiated,
    "unreturned": _unreturned,
    "trainer collator": _of_trainer("collator"),
    "trainer batch": _of_trainer("batch"),
    "trainer lists": _of_trainer("lists"),
    "label columns": _of_label_columns,
    "method": _of_method,
    "head": _of_head,
    "tokens": _of_tokens,
    "unpacked": _unpacked,
    "answers": _of_answers,
    "loader": _loaders,
    "target": _target,
    "carried": _carried,
    "tokenizing": _tokenizing,
    "local": _local,
}
"""What a list of places may ask for besides a place in the text."""
