"""Calls and assignments that do less than they seem to, or what they say, by a script's text.

What they leave as it was has to be measured.
"""

import ast
import difflib
import re
from collections.abc import Collection, Iterator, Sequence

from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    blocks,
    bound,
    calls_in,
    last_part,
    loops_in,
    method,
    named,
    names,
    own_nodes,
    owner_of,
    parents,
    parts,
    scopes,
    sent,
    stored,
)

FIGURES = {"norm", "pow", "square", "mean", "sum", "abs", "sqrt", "view", "flatten", "reshape"}
"""Methods, and functions of PyTorch, that make figures of gradients."""
GATHERS = "gradient_accumulation_steps"
ONCE = {"filter", "map", "parameters", "chain"}
"""What gives an iterator, by these names, that can be gone through once; a generator does, too."""
CLIPS = {"clip_grad_norm_", "clip_grad_value_"}
STEPPED = {"backward", "step"}
"""Calls between which gradients are scaled back and clipped."""
WHOLE = {"list", "tuple", "set", "sum", *CLIPS}
"""Calls that go through all that they are given; an optimizer does, too."""
SCALES = {"div", "div_", "divide", "true_divide", "mul", "mul_", "multiply"}
"""Calls that do what a sign does."""
LEAVING = (ast.Eq, ast.NotEq, ast.Gt)
"""Comparisons with a class that leave out the class itself, or all others."""
COMPARING = {"ne", "eq", "gt", "ge", "not_equal", "greater"}
FREEZING = "requires_grad"
OPTIMIZERS = {
    *("ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "Muon"),
    *("NAdam", "RAdam", "RMSprop", "Rprop", "SGD", "SparseAdam"),
}
"""Those of PyTorch: https://docs.pytorch.org/docs/stable/optim.html#algorithms."""
STEPPING = {"step", "grad"}
"""What is named where gradients are used: an optimizer's, or a schedule's, or one by hand."""
NEAR = 0.85
"""From here on a name is one that is misspelt."""
OVERFLOW = {"return_overflowing_tokens", "stride"}
"""Arguments by which what is cut off is kept as further rows."""
NUMBERS = {"int", "float"}


def backwards_beside(tree: ast.Module) -> list[int]:
    """Find each `backward()` without a loss, if an `Accelerator` is to accumulate gradients."""
    calls = parts(tree, ast.Call)
    sent = [each for each in calls if method(each) == "backward"]
    gathering = (
        named(each).get(GATHERS) for each in calls if last_part(each.func) == "Accelerator"
    )
    is_gathered = any(each is not None and ast.unparse(each) != "1" for each in gathering)
    return sorted(e.lineno for e in sent) if is_gathered and not any(e.args for e in sent) else []


def adds_up(tree: ast.Module) -> list[int]:
    """Find each `backward()` beside a step at every so many turns, if nothing is divided by these.

    What is divided may be the loss, the gradients, or the learning rate; not a number to be told.
    """
    products = [
        each
        for each in parts(tree, ast.BinOp)
        # The size of all batches of a step is a product with that number, and scales nothing.
        if (isinstance(each.op, ast.Div) or _is_of_rate(each))
        and not any(method(call) == "item" for call in parts(each, ast.Call))
    ]
    changed = [e for e in parts(tree, ast.AugAssign) if isinstance(e.op, ast.Div | ast.Mult)]
    factors = [one for each in products for one in (each.left, each.right)]
    factors += [each.value for each in changed]
    scaled = {ast.unparse(one).rpartition(".")[2] for one in factors}
    scaled |= {
        ast.unparse(one).rpartition(".")[2]
        for each in parts(tree, ast.Call)
        if last_part(each.func) in SCALES
        for one in each.args
    }
    found = set[int]()
    for body in (*parts(tree, ast.For), *parts(tree, ast.FunctionDef)):
        every = {
            ast.unparse(turns.right).rpartition(".")[2]
            for each in parts(body, ast.If)
            if "step" in calls_in(each)
            for turns in parts(each.test, ast.BinOp)
            if isinstance(turns.op, ast.Mod)
        }
        beside = {call for each in parts(body, ast.If) for call in parts(each, ast.Call)}
        if every and not every & scaled:
            sent = (call for call in parts(body, ast.Call) if method(call) == "backward")
            found.update(call.lineno for call in sent if call not in beside)
    # Whose answers are drawn by chance may as well add up what several episodes tell.
    if "log_prob" not in {each.attr for each in parts(tree, ast.Attribute)}:
        found.update(_sent_in_turns(tree, scaled))
    return sorted(found)


def _is_of_rate(node: ast.BinOp) -> bool:
    return isinstance(node.op, ast.Mult) and bool(re.search(r"(?i)lr|rate", ast.unparse(node)))


def _sent_in_turns(tree: ast.Module, scaled: set[str]) -> Iterator[int]:
    """Yield the only `backward()` of a loop of `range(n)` turns, if a step follows the loop."""
    for loop in loops_in(tree):
        for at, turns in enumerate(loop.body):
            match turns:
                case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[count])):
                    losses, after = sent(ast.walk(turns)), loop.body[at + 1 :]
                    is_one = len(losses) == 1 and "step" not in calls_in(turns)
                    is_one &= any("step" in calls_in(each) for each in after)
                    is_scaled = ast.unparse(count).rpartition(".")[2] in scaled
                    if is_one and not is_scaled and not isinstance(count, ast.Call):
                        yield losses[0].lineno


def sent_without_steps(tree: ast.Module) -> set[int]:
    """Find each `backward()` of a text that names no step, and reads no gradient to make one."""
    named_parts = {each.attr for each in parts(tree, ast.Attribute)}
    sent = [each for each in parts(tree, ast.Call) if method(each) == "backward"]
    lines = (n for e in sent for n in range(e.lineno, (e.end_lineno or e.lineno) + 1))
    return set() if named_parts & STEPPING else set(lines)


def holds_more_later(tree: ast.Module) -> bool:
    """Whether a text makes several optimizers, or gives one more parameters than it had at first.

    What one of them does not hold may be held by another, later.
    """
    calls = [last_part(each.func) for each in parts(tree, ast.Call)]
    return sum(name in OPTIMIZERS for name in calls) > 1 or "add_param_group" in calls


def clips_nothing(tree: ast.Module) -> list[tuple[int, str]]:
    """Find the lines that clip what a used-up iterator has left, and its name."""
    made = Names(parts(tree, ast.Assign)).that_hold(_is_iterator)
    bound = [*stored(tree), *(each.arg for each in parts(tree, ast.arg))]
    once = {name for name in made if bound.count(name) == 1}
    found, used = [], set[str]()
    for call in sorted(parts(tree, ast.Call), key=lambda each: each.lineno):
        given = call.args[0] if call.args else None
        if not isinstance(given, ast.Name) or given.id not in once:
            continue
        name = last_part(call.func)
        if name in CLIPS and given.id in used:
            found.append((call.lineno, given.id))
        elif name in WHOLE or "optim" in ast.unparse(call.func):
            used.add(given.id)
    return found


def clips_apart(tree: ast.Module) -> list[tuple[int, bool]]:
    """Find the lines that clip gradients before the `backward` that makes them; or too late: True.

    That is after the step they were for: the next `zero_grad` takes them away.
    """
    found = set[tuple[int, bool]]()
    calls = (each for each in parts(tree, ast.Call) if method(each) == "zero_grad")
    cleared = {f"{ast.unparse(owner)}.step()" for owner in map(owner_of, calls) if owner}
    for block in blocks(tree):
        waiting, done = list[int](), ""
        for each in block:
            calls_of = calls_in(each)
            if "backward" in calls_of:
                found |= {(line, False) for line in waiting}
                waiting, done = [], ""
            elif calls_of & CLIPS and done == "step":
                found.add((each.lineno, True))
            elif calls_of & CLIPS and done:
                waiting.append(each.lineno)
            elif "zero_grad" in calls_of:
                done = done or "zero_grad"
            done = "step" if ast.unparse(each) in cleared else done
    return sorted(found)


def clips_scaled(tree: ast.Module) -> list[int]:
    """Find the lines that clip gradients of a scaled loss, which nothing has scaled back before."""
    text, found = ast.unparse(tree), set[int]()
    is_never_back = "unscale_" not in text
    for scope in scopes(tree) if ".scale(" in text and "enabled=False" not in text else ():
        # What is scaled back only afterwards, before a step or another loss comes.
        waiting, is_back, is_scaled = list[int](), False, False
        calls = [each for each in own_nodes(scope.body) if isinstance(each, ast.Call)]
        for call in sorted(calls, key=lambda each: each.lineno):
            name = last_part(call.func)
            is_scaled |= name == "backward" and ".scale(" in ast.unparse(call.func)
            found |= {*waiting} if name == "unscale_" else set()
            if name in CLIPS and not is_back:
                waiting.append(call.lineno)
                found |= {call.lineno} if is_never_back and is_scaled else set()
            waiting = [] if name in (*STEPPED, "unscale_") else waiting
            is_back = (is_back or name == "unscale_") and name not in STEPPED
    return sorted(found)


def penalties_without_graph(tree: ast.Module) -> list[int]:
    """Find the gradients, of `autograd.grad`, that a loss has a term of, and that have no graph.

    A term of numbers trains nothing: `create_graph=True` makes it one that does. What moves inputs
    by them, as an attack does, needs none.
    """
    made = [
        call
        for call in parts(tree, ast.Call)
        if ast.unparse(call.func) in ("torch.autograd.grad", "autograd.grad", "grad")
    ]
    # Gradients may be compared with others, which are given.
    if any("create_graph" in named(call) for call in made) or "autograd" not in ast.unparse(tree):
        return []
    reached = {id(call) for call in made}
    known = set[str]()
    for _turn in range(8):
        for each in parts(tree, ast.Assign):
            if _is_reached(each.value, reached, known):
                known |= set(stored(each))
        for function in parts(tree, ast.FunctionDef):
            ends = (e.value for e in parts(function, ast.Return) if e.value is not None)
            if any(_is_reached(end, reached, known) for end in ends):
                known.add(f"{function.name}()")
    is_sent = any(_is_reached(each, reached, known) for each in sent(ast.walk(tree)))
    return sorted(call.lineno for call in made) if is_sent else []


def _is_reached(node: ast.expr, reached: set[int], known: set[str]) -> bool:
    """Return whether a value is a figure of some gradients: their length, or a sum with it."""
    match node:
        case ast.Name(id=name):
            return name in known
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            # What weighs losses is no term of its own.
            pairs = ((left, right), (right, left))
            return any(
                _is_reached(one, reached, known) and not parts(other, ast.Call)
                for one, other in pairs
            )
        case ast.BinOp():
            return any(_is_reached(one, reached, known) for one in (node.left, node.right))
        case ast.UnaryOp():
            return _is_reached(node.operand, reached, known)
        case ast.Subscript():
            return _is_reached(node.value, reached, known)
        case ast.Call():
            own = owner_of(node) if last_part(node.func) in FIGURES else None
            given = [own, *node.args] if own is not None else []
            is_made = id(node) in reached or f"{last_part(node.func)}()" in known
            return is_made or any(_is_reached(one, reached, known) for one in given)
        case ast.GeneratorExp() | ast.ListComp():
            first = node.generators[0]
            return _is_reached(first.iter, reached, known)
    return False


def losses_of_all(tree: ast.Module) -> list[int]:
    """Find the lines of a loss of all labels, where others take those of a mask: `labels[test]`.

    One of the masks is that of the training. The answers for the others are learned as well.
    """
    known = {*stored(tree), *(ast.unparse(each) for each in parts(tree, ast.Attribute))}
    masks = {each for each in known if re.search(r"(?i)(?:mask|idx|index)\w*$", each)}
    held_out = {each for each in masks if re.search(r"test|val|dev", each)}
    if not held_out or not any("train" in each for each in masks):
        return []
    # A function may be given the mask.
    passed = {
        argument.arg
        for function in parts(tree, ast.FunctionDef)
        for call in parts(tree, ast.Call)
        if last_part(call.func) == function.name
        for argument, value in zip(function.args.args, call.args, strict=False)
        if ast.unparse(value) in held_out
    }
    taken = [e for e in parts(tree, ast.Subscript) if isinstance(e.slice, ast.Name | ast.Attribute)]
    parted = {ast.unparse(e.value) for e in taken if ast.unparse(e.slice) in held_out | passed}
    # Labels that are hidden there, and losses that are taken of some rows afterwards.
    spared = {ast.unparse(e.value) for e in taken if isinstance(e.ctx, ast.Store)}
    spared |= {ast.unparse(e.value) for e in taken if "train" in ast.unparse(e.slice)} - parted
    losses, found = {*map(ast.unparse, sent(ast.walk(tree)))}, []
    for node in parts(tree, ast.Assign):
        for target, value in bound(node):
            match value:
                case ast.Call(
                    args=[ast.Name() as outputs, ast.Name() | ast.Attribute() as labels],
                    keywords=[],
                ):
                    both = {outputs.id, ast.unparse(labels)}
                    name = ast.unparse(target)
                    if name in losses and both <= parted and not {name, *both} & spared:
                        found.append(value.lineno)
    return sorted(found)


def leaves_out(tree: ast.Module, marks: Collection[int]) -> bool:
    """Return whether more than a loss leaves out one of these classes.

    Who evaluates without it compares labels with it, or takes the classes after it. The loss is
    told by a number to leave it out, or compares labels with it once by itself.
    """
    held = Names(ast.walk(tree))
    asked = {ast.unparse(e.value) for e in parts(tree, ast.Attribute) if e.attr == "eval"}
    networks = (call for call in parts(tree, ast.Call) if ast.unparse(call.func) in asked)
    # Padding is left out by what the network reads.
    inputs = {ast.unparse(call.args[0]) for call in networks if call.args}

    def is_mark(node: ast.expr) -> bool:
        value = held.only(node)
        return isinstance(value, ast.Constant) and type(value.value) is int and value.value in marks

    def is_left_out(node: ast.AST) -> bool:
        match node:
            case ast.Compare(left=left, ops=[way], comparators=[right]):
                # `epoch % 5 == 0` is of no label, and `labels >= 0` leaves 0 in.
                is_of_label = not isinstance(left, ast.BinOp | ast.Call)
                is_of_label &= ast.unparse(left) not in inputs
                return is_of_label and isinstance(way, LEAVING) and is_mark(right)
            case ast.Slice(lower=ast.Constant(value=int(first))):
                return first - 1 in marks
            case ast.Call(func=func, keywords=given):
                asked = {each.arg for each in given}
                is_loss = re.search(r"(?i)loss$|entropy$", last_part(func)) is not None
                is_range = last_part(func) == "range" and len(node.args) > 1
                after = getattr(node.args[0], "value", None) if is_range else None
                is_after = isinstance(after, int) and after - 1 in marks
                is_scored = bool(asked & {"ignore_index", "labels"}) and not is_loss
                is_compared = method(node) in COMPARING and any(map(is_mark, node.args))
                is_asked = method(node) in ("bool", "nonzero") and 0 in marks
                return is_scored or is_compared or is_asked or (is_after and node in turned)
        return False

    # Classes are gone through one by one where answers are compared with each.
    turned = [
        each.iter
        for loop in ast.walk(tree)
        for each in ([loop] if isinstance(loop, ast.For) else getattr(loop, "generators", []))
        for one in parts(loop, ast.Compare)
        if names(one) & names(each.target)
    ]
    places = sum(map(is_left_out, ast.walk(tree)))
    keywords = (each for each in parts(tree, ast.keyword) if each.arg == "ignore_index")
    return places > 0 if any(is_mark(each.value) for each in keywords) else places > 1


def _is_iterator(node: ast.expr) -> bool:
    is_call = isinstance(node, ast.Call) and last_part(node.func) in ONCE
    return is_call or isinstance(node, ast.GeneratorExp)


def freezes_nothing(tree: ast.Module) -> list[tuple[int, str]]:
    """Find the lines that give something an attribute as if that froze it, and the attribute.

    `requires_grad` is asked of parameters only, as a loop gives them: a part of a network that has
    it goes on learning. What is nearly called so, nobody asks a parameter for.
    """
    loops = parts(tree, ast.For)
    targets = [*(e.target for e in loops), *(e.target for e in parts(tree, ast.comprehension))]
    plain = {"self"}.union(*map(names, targets))
    found = {
        (node.lineno, FREEZING)
        for node in parts(tree, ast.Assign)
        if ast.unparse(node.value) == "False"
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == FREEZING
        if ast.unparse(target.value) not in plain
    }
    for loop in loops:
        given = names(loop.target) if "parameters(" in ast.unparse(loop.iter) else ()
        for node in parts(loop, ast.Attribute) if given else ():
            is_near = difflib.SequenceMatcher(None, node.attr, FREEZING).ratio() > NEAR
            if is_near and node.attr != FREEZING and isinstance(node.ctx, ast.Store):
                found |= {(node.lineno, node.attr)} if ast.unparse(node.value) in given else set()
    return sorted(found)


def never_trained(tree: ast.Module) -> list[int]:
    """Find where a trainer that has rows to train on evaluates, and nothing calls `train`."""
    calls = parts(tree, ast.Call)
    if any(method(each) in ("train", "hyperparameter_search") for each in calls):
        return []
    made = Names(parts(tree, ast.Assign)).that_hold(
        lambda value: isinstance(value, ast.Call) and "train_dataset" in named(value)
    )
    return sorted(
        each.lineno
        for each in calls
        if method(each) in ("evaluate", "predict")
        if (owner := owner_of(each)) is not None and ast.unparse(owner) in made
    )


def is_chosen(tree: ast.Module, left_out: str, given: Sequence[str]) -> bool:
    """Return whether the script says that a column is left out, beside columns that are given.

    A call with its name and none of the others drops it: `remove_columns=` with all of them only
    tidies up. A list of names with others and without it, as in `frame[["text", "label"]]`, is a
    choice.
    """
    for node in ast.walk(tree):
        lists: list[ast.expr] = []
        if isinstance(node, ast.Call):
            values = [*node.args, *named(node).values()]
            told = {name for value in values for name in _strings(value)}
            if left_out in told and told.isdisjoint(given):
                return True
            is_choice = "select" in method(node)
            lists = [e for e in values if is_choice and isinstance(e, ast.List | ast.Tuple)]
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List):
            lists = [node.slice]
        for chosen in map(set[str], map(_strings, lists)):
            if not chosen.isdisjoint(given) and left_out not in chosen:
                return True
    return False


def _strings(node: ast.expr) -> Iterator[str]:
    """Yield the strings that a value is, or lists."""
    for each in node.elts if isinstance(node, ast.List | ast.Tuple) else (node,):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def cut_texts(tree: ast.Module) -> list[tuple[int, int | None]]:
    """Find the lines where a text is cut after some tokens or words, each with its limit.

    It is None where that is as wide as rows are, whatever it is. A tokenizer has `max_length`
    beside `truncation`, or a `model_max_length`; or it is `text.split()[:6]`. Parts that go on with
    the rest of the text, and fields that a line is taken apart into, are no cut.
    """
    return sorted(set(_Cuts(tree).found()), key=lambda each: (each[0], each[1] or 0))


class _Cuts:
    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._names = Names(ast.walk(tree))
        self._inside = parents(tree)

    def found(self) -> Iterator[tuple[int, int | None]]:
        calls = parts(self._tree, ast.Call)
        is_cut = any(map(_truncates, calls))
        for call in calls:
            given = named(call)
            if "max_length" in given and _truncates(call) and OVERFLOW.isdisjoint(map(str, given)):
                limit = self._number(given["max_length"])
                if limit is not None or _value(given.get("padding")) == "max_length":
                    yield call.lineno, limit
            if is_cut and "model_max_length" in given:
                limit = self._number(given["model_max_length"])
                if limit is not None:
                    yield given["model_max_length"].lineno, limit
        for node in parts(self._tree, ast.Subscript):
            match node.slice:
                case ast.Slice(lower=None, upper=ast.expr() as upper, step=None):
                    limit = self._number(upper) if self._are_words(node.value) else None
                    if limit is not None and limit > 0 and not self._are_fields(node):
                        yield node.lineno, limit

    def _number(self, node: ast.expr) -> int | None:
        value = _value(self._names.only(node))
        return value if type(value) is int else None

    def _are_words(self, node: ast.expr) -> bool:
        """Return whether these are the words of a text: it is split at spaces."""
        made = self._names.only(node)
        return isinstance(made, ast.Call) and last_part(made.func) == "split" and not made.args

    def _are_fields(self, node: ast.expr) -> bool:
        """Return whether each of these has a name of its own, or is a number."""
        parent = self._inside.get(node)
        if isinstance(parent, ast.Assign):
            return any(isinstance(target, ast.Tuple) for target in parent.targets)
        element = self._inside.get(parent) if isinstance(parent, ast.comprehension) else parent
        of_each = element.elt if isinstance(element, ast.ListComp) else element
        if not isinstance(of_each, ast.Call):
            return False
        maker = of_each.args[0] if last_part(of_each.func) == "map" else of_each.func
        return last_part(maker) in NUMBERS


def _truncates(call: ast.Call) -> bool:
    return _value(named(call).get("truncation")) not in (False, None, "do_not_truncate")


def _value(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None
