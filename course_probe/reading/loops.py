"""Loops that tell less than they seem to, by a script's text: of one batch, or of no network.

That a loop went over several batches, and evaluated, has to be measured: the lines on which it
begins, or that were heard in it, are known from there.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import (
    around,
    begins,
    blocks,
    bound,
    calls_in,
    given_back,
    gone_over,
    last_part,
    loops_of,
    method,
    names,
    networks_of,
    own_nodes,
    owner_of,
    parents,
    parts,
    root,
    scopes,
    stored,
)

ON_PURPOSE = r"(?i)last|latest|final|prev|sample|example|demo|show|plot|one_"
"""What marks the name of something that is meant to be of one batch."""
REDUCTIONS = {"sum", "mean", "item", "accuracy_score", "f1_score", "count_nonzero", "average"}
"""What makes one number of a batch."""
LOSS = r"(?i)loss|criterion|cross_entropy"
ADDING = r"(?i)avg|average|meter|running|total|track|metric|ema|hist"
"""What marks the name of something that adds up what it is given."""
SAFE = {
    *("float", "int", "len", "sum", "round", "abs", "max", "min", "torch", "F", "nn", "np"),
    *("numpy", "math"),
}
"""Functions and modules that keep nothing from call to call."""
WHOLE_SCORE = re.compile(
    r"^(?:\w+_)?(?:f1|fbeta|precision|recall|roc_auc|average_precision|r2|jaccard|kappa)_score$"
    r"|^(?:matthews_corrcoef|balanced_accuracy_score|corpus_bleu)$"
    r"|^(?:\w+_)?(?:f1|r2|auroc|roc_auc|(?:pearson|spearman|concordance)(?:r|_r|_corr\w*)?)$"
)
"""Functions whose score of all rows is no mean of those of parts."""
GATHERING = {"append", "extend"}
"""Methods of a list that is to hold what each batch gives."""
MODES = {"eval", "train"}
ONCE = {"zip", "iter", "map", "filter", "enumerate", "reversed"}
"""Functions of Python that give what can be gone through once."""


# Loops that are left with the first batch.


def left_early(tree: ast.Module, lines: Iterable[int]) -> list[int]:
    """Find each `return` that ends a loop in its first turn, of the loops that begin on `lines`.

    It stands one level too deep for certain where it is reached in every case, and where what it
    ends was to go on: sums and lists are made in it.
    """
    wanted = set(lines)
    return sorted(
        loop.body[-1].lineno
        for loop in parts(tree, ast.For)
        if begins(loop, wanted) and isinstance(loop.body[-1], ast.Return)
        if any(_gathers(e) or _is_metered(e) for e in loop.body[:-1])
        if not parts(loop, ast.Continue)
    )


def left_at_once(tree: ast.Module, lines: Iterable[int]) -> list[int]:
    """Find each `break` for the first turn of a loop that begins on some `lines`."""
    wanted = set(lines)
    return sorted(
        each.body[-1].lineno
        for loop in parts(tree, ast.For)
        if begins(loop, wanted)
        for each in loop.body
        if isinstance(each, ast.If) and isinstance(each.body[-1], ast.Break)
        if _is_first(each.test, loop)
    )


def used_up(tree: ast.Module) -> list[tuple[int, str]]:
    """Find loops that train on what an iterator gives, which nothing makes anew for their turns.

    With what the iterator is called there: it has given all in the first turn.
    """
    within, flow, functions = parents(tree), Flow(tree), parts(tree, ast.FunctionDef)
    sending = {"backward", *(each.name for each in functions if _calls(each, {"backward"}))}
    making = {f.name for f in functions if any(isinstance(e, ast.Yield) for e in own_nodes(f.body))}
    making |= {f.name for f in functions for e in given_back(f) if _is_once(e, making)}
    found = []
    for loop in parts(tree, ast.For):
        over, made = gone_over(loop), list[ast.expr]()
        # Who leaves a loop goes on with the rest in the next one.
        if _calls(loop, sending) and not parts(loop, ast.Break):
            scope = next((e for e in around(loop, within) if isinstance(e, ast.FunctionDef)), tree)
            ends = flow.origins(TextValue(over, scope), lambda one: isinstance(one.node, ast.Call))
            made = [each.node for each in ends]
        if made and all(_is_once(each, making) for each in made):
            turns = _turns(loop, tree, within)
            found += [(loop.lineno, ast.unparse(over)) for each in turns if not each & {*made}][:1]
    return found


def _turns(
    node: ast.AST, tree: ast.Module, within: Mapping[ast.AST, ast.AST]
) -> Iterator[set[ast.AST]]:
    """Yield what each loop around a node, or around a call of its function, runs anew."""
    for outer in around(node, within):
        if isinstance(outer, ast.For | ast.While):
            yield {*ast.walk(outer)}
        elif isinstance(outer, ast.FunctionDef):
            calls = [e for e in parts(tree, ast.Call) if last_part(e.func) == outer.name]
            inner = {*ast.walk(outer)}
            again = (e for e in calls if e not in inner)
            yield from (inner | one for e in again for one in _turns(e, tree, within))
            return


def _is_once(node: ast.expr, making: set[str]) -> bool:
    """Return whether this makes what can be gone through once, as such functions of a script do."""
    match node:
        case ast.Call(func=func):
            return last_part(func) in making or ast.unparse(func) in ONCE
    return isinstance(node, ast.GeneratorExp)


def _calls(node: ast.AST, wanted: set[str]) -> bool:
    return bool(calls_in(node) & wanted)


def left_behind(
    tree: ast.Module, parted: Iterable[int], whole: Iterable[int], losses: Iterable[int]
) -> list[int]:
    """Find the lines of `losses` that send what the last turn of a loop has made, after that loop.

    Its passes are on lines of which some are `parted` from others by what is sent; those of a state
    that goes from turn to turn are sent as a `whole`.
    """
    some, every, sent = [*parted], [*whole], [*losses]
    found = set[int]()
    for block in blocks(tree):
        made = set[str]()
        for each in block:
            lines = range(each.lineno, (each.end_lineno or each.lineno) + 1)
            made -= {*stored(each)}
            if made & names(each):
                found.update(line for line in sent if line in lines)
            is_parted = any(line in lines for line in some)
            if isinstance(each, ast.For) and is_parted and not any(e in lines for e in every):
                made |= {name for own in each.body for name in _made_anew(own)}
    return sorted(found)


def _made_anew(statement: ast.stmt) -> Iterator[str]:
    """Yield the name that a statement gives a value in which it is not read itself."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in names(value):
            yield name


def _is_first(test: ast.expr, loop: ast.For) -> bool:
    """Return whether a condition is that a loop is in its first turn, counted from 0."""
    match loop.target, loop.iter:
        case ast.Name(id=name), ast.Call(args=[_] | [ast.Constant(value=0), *_]) as call:
            counts = "range"
        case ast.Tuple(elts=[ast.Name(id=name), *_]), ast.Call(args=[_]) as call:
            counts = "enumerate"
        case _:
            return False
    match test:
        case ast.Compare(
            left=ast.Name(id=asked),
            ops=[ast.Eq() | ast.GtE()],
            comparators=[ast.Constant(value=0)],
        ):
            return asked == name and last_part(call.func) == counts
    return False


def sends_backward(loop: ast.For | ast.While) -> bool:
    """Return whether each turn of a loop sends a loss backward, and no loop within it does."""
    inner = {id(e) for one in parts(loop, ast.For) if one is not loop for e in ast.walk(one)}
    sent = (e for e in parts(loop, ast.Call) if last_part(e.func) == "backward")
    return any(id(each) not in inner for each in sent)


def _gathers(statement: ast.stmt) -> bool:
    """Return whether a statement adds to what is to be known of all batches."""
    calls = parts(statement, ast.Call)
    return bool(parts(statement, ast.AugAssign)) or any(method(c) in GATHERING for c in calls)


def _is_metered(statement: ast.stmt) -> bool:
    """Return whether a statement gives a meter one more figure."""
    return any(method(call) == "update" for call in parts(statement, ast.Call))


# Figures that are computed anew for each batch, and read behind the loop.


def last_batches(tree: ast.Module, lines: Iterable[int]) -> list[int]:
    """Find the lines where loops that begin on some `lines` leave their last batch's figure.

    What is read behind the loop by `item()`, and only there, is one number, whatever makes it.
    """
    return _of_loops(tree, lines, lambda loop: loop.figures())


def batch_scores(tree: ast.Module, lines: Iterable[int]) -> list[int]:
    """Find the lines where such loops score each batch by itself, and add the scores up.

    Of scores that are not the mean of those of parts, as F1 is not. A loop goes over the batches
    of a `DataLoader`: another one may score one user, or one query, after the other.
    """
    loaders = {
        name
        for each in parts(tree, ast.Assign)
        if "DataLoader" in calls_in(each.value)
        for name in stored(each)
    }
    given = {each.arg for each in parts(tree, ast.arg)} if loaders else set[str]()

    def ask(loop: _BatchLoop) -> Iterator[int]:
        return loop.scores() if loop.over & (loaders | given) else iter(())

    return _of_loops(tree, lines, ask)


def _of_loops(
    tree: ast.Module, lines: Iterable[int], ask: "Callable[[_BatchLoop], Iterator[int]]"
) -> list[int]:
    wanted, found = set(lines), set[int]()
    known = _keeping_nothing(tree) if wanted else set()
    functions = parts(tree, ast.FunctionDef)
    for scope in scopes(tree) if wanted else ():
        for loop in loops_of(scope.body):
            if isinstance(loop, ast.For) and begins(loop, wanted) and not _is_of_some(loop):
                found.update(ask(_BatchLoop(scope, loop, known, functions)))
    return sorted(found)


def _keeping_nothing(tree: ast.Module) -> set[str]:
    """Return the names of functions without a state, and of networks."""
    functions = parts(tree, ast.FunctionDef)
    own = (e for e in functions if not parts(e, ast.Global) and not parts(e, ast.Nonlocal))
    return {each.name for each in own} | networks_of(tree)


def _is_of_some(loop: ast.For) -> bool:
    """Return whether a loop may end before its last batch, or trains."""
    return any(
        isinstance(node, ast.Break | ast.Return | ast.Yield)
        or (isinstance(node, ast.Attribute) and node.attr in ("backward", "step"))
        for each in loop.body
        for node in ast.walk(each)
    )


class _BatchLoop:
    """A loop in its function, or in the script, and whose names are `known` to keep nothing.

    Of its `functions`, some are known to return one number.
    """

    def __init__(
        self, scope: ast.AST, loop: ast.For, known: set[str], functions: list[ast.FunctionDef]
    ) -> None:
        self._functions = functions
        self._scored = {each.name for each in functions if _returns_figure(each)}
        self._scope = list(ast.walk(scope))
        self._is_returned = isinstance(scope, ast.FunctionDef) and any(parts(scope, ast.Return))
        self._end = loop.end_lineno or loop.lineno
        self._inside = [node for each in loop.body for node in ast.walk(each)]
        self._own = list(_statements(loop.body))
        self._of_batch, self._known = _targets(loop), known
        self.over = names(loop.iter)

    def figures(self) -> Iterator[int]:
        """Yield the lines on which a figure is computed that only the last batch leaves."""
        for each in self._own:
            for target, value in bound(each) if isinstance(each, ast.Assign) else ():
                if isinstance(target, ast.Name) and ast.unparse(value) in ("[]", "list()"):
                    filled = self._filled(target.id)
                    uses = len(self._uses(self._inside, target.id))
                    if filled and uses == filled + 1 and self._is_left(target.id):
                        yield each.lineno
                if not self._of_batch & names(value):
                    continue
                is_of_one = _is_figure(value)
                is_of_one |= isinstance(value, ast.Call) and last_part(value.func) in self._scored
                is_of_one |= isinstance(value, ast.List) and len(value.elts) == 1
                is_of_one |= isinstance(target, ast.Name) and self._is_scored(target.id)
                for name in names(target):
                    is_one = is_of_one and isinstance(target, ast.Name)
                    if self._is_anew(name, value) and (is_one or self._is_number(name)):
                        yield each.lineno
                self._of_batch |= names(target)
        for each in self._own:
            yield from self._ends_of_lists(each)
        if self._is_returned and all(map(_only_names, self._own)):
            # What the turns before the last one have made is lost: answers, and their labels.
            left = {name for name in self._of_batch if self._behind(name) and self._is_left(name)}
            is_pair = len(left) > 1
            made = [e for e in self._own if isinstance(e, ast.Assign) and self._is_of_last(e)]
            yield from (each.lineno for each in made[:1] if is_pair)

    def _is_of_last(self, made: ast.Assign) -> bool:
        """Return whether names of the last turn are read behind the loop, and set only in it."""
        scope = [e.id for e in self._scope if isinstance(e, ast.Name) and type(e.ctx) is ast.Store]
        return self._keeps_nothing(made.value) and any(
            scope.count(name) == 1 and self._is_left(name) for name in stored(made)
        )

    def scores(self) -> Iterator[int]:
        """Yield the lines on which a score of this batch alone is computed, and added up."""
        for each in self._own:
            made = {name for name in stored(each) if not self._filled(name)}
            if isinstance(each, ast.Assign) and self._of_batch & names(each.value):
                self._of_batch |= made
            if any(self._is_added(each, name) for name in ("", *made)):
                yield from (call.lineno for call in parts(each, ast.Call) if self._is_score(call))
                yield from (e.lineno for e in parts(each, ast.BinOp) if self._is_of_guesses(e))

    def _is_score(self, call: ast.Call) -> bool:
        """Return whether a call scores this batch by what is no mean of parts."""
        is_known = bool(WHOLE_SCORE.search(last_part(call.func))) and not self._is_along(call)
        values = {name for given in call.args for name in names(given)}
        # What the loop gathers is of all batches so far.
        is_whole = any(map(self._filled, values)) or not self._of_batch & values
        return (is_known or self._is_raised(call)) and not is_whole

    def _is_along(self, call: ast.Call) -> bool:
        """Return whether a score is taken along an axis, of each row: here, or in the function."""
        made = [call, *(each for each in self._functions if each.name == last_part(call.func))]
        return any(each.arg in ("dim", "axis") for one in made for each in parts(one, ast.keyword))

    def _is_raised(self, call: ast.Call) -> bool:
        """Return whether a mean loss of this batch is raised to a perplexity."""
        if ast.unparse(call.func) != "math.exp":
            return False
        losses = {
            name
            for each in self._own
            if isinstance(each, ast.Assign)
            if _has_loss(each.value)
            for name in stored(each)
        }
        return bool(names(call) & losses) or _has_loss(call)

    def _is_of_guesses(self, ratio: ast.BinOp) -> bool:
        """Return whether this is `a / (a + b)` of counts that the loop makes anew of a batch.

        What it is divided by is no number of rows, but of answers of one kind.
        """
        if not isinstance(ratio.op, ast.Div) or not isinstance(ratio.left, ast.Name):
            return False
        counts = {
            name
            for each in self._own
            if isinstance(each, ast.Assign) and parts(each.value, ast.Compare)
            for name in stored(each)
        }
        return any(
            isinstance(one.op, ast.Add)
            and {ast.unparse(one.left), ast.unparse(one.right)} <= counts
            and ratio.left.id in names(one)
            for one in parts(ratio.right, ast.BinOp)
        )

    def _is_added(self, statement: ast.stmt, name: str) -> bool:
        """Return whether a statement adds up, or another one what it has put under a name."""
        of = (each for each in self._own if not name or name in names(each))
        return any(_gathers(e) or _is_metered(e) for e in (of if name else [statement]))

    def _uses(self, nodes: Iterable[ast.AST], name: str) -> list[ast.Name]:
        return [each for each in nodes if isinstance(each, ast.Name) and each.id == name]

    def _behind(self, name: str) -> list[ast.Name]:
        uses = (each for each in self._uses(self._scope, name) if each.lineno > self._end)
        return sorted(uses, key=lambda each: (each.lineno, each.col_offset))

    def _is_left(self, name: str) -> bool:
        """Return whether a name is read after the loop, as the loop left it, and not on purpose."""
        behind = self._behind(name)
        # `acc = acc / 2` reads first, though the name stands behind.
        first = [each for each in behind if each.lineno == behind[0].lineno]
        is_read = any(isinstance(each.ctx, ast.Load) for each in first)
        return is_read and not re.search(ON_PURPOSE, name)

    def _is_anew(self, name: str, value: ast.expr) -> bool:
        """Return whether the loop sets a name once, from this batch alone, and does not read it."""
        is_once = len(self._uses(self._inside, name)) == 1
        return is_once and self._is_left(name) and self._keeps_nothing(value)

    def _is_number(self, name: str) -> bool:
        """Return whether a name is read behind the loop as `name.item()` alone."""
        items = {
            id(e.value) for e in self._scope if isinstance(e, ast.Attribute) and e.attr == "item"
        }
        return all(id(e) in items for e in self._behind(name) if isinstance(e.ctx, ast.Load))

    def _is_scored(self, name: str) -> bool:
        """Return whether a name is only read behind the loop to make a score of it."""
        calls = [e for e in self._scope if isinstance(e, ast.Call) and e.lineno > self._end]
        scores = [
            e
            for e in calls
            if _is_computed(e)
            or last_part(e.func).endswith("_score")
            or (last_part(e.func) in REDUCTIONS and self._are_compared(e, name))
        ]
        given = {id(part) for call in scores for part in ast.walk(call)}
        return all(id(each) in given for each in self._behind(name))

    def _are_compared(self, call: ast.Call, name: str) -> bool:
        """Return whether a call reduces a comparison of a name with another one of the batch."""
        compared = [names(each) for each in parts(call, ast.Compare)]
        return any(name in each and self._of_batch & each - {name} for each in compared)

    def _keeps_nothing(self, value: ast.expr) -> bool:
        """Return whether no call in it can add up what came before: none of another object."""
        known = self._of_batch | self._known | SAFE | REDUCTIONS
        for call in parts(value, ast.Call):
            name = last_part(root(call.func))
            is_safe = name in known or _is_loss(name)
            if not is_safe and not (_is_computed(call) and not self._adds_up(name)):
                return False
        return True

    def _adds_up(self, name: str) -> bool:
        """Return whether a metric of this name is also given rows by `add` or `add_batch`."""
        return any(
            isinstance(node, ast.Attribute)
            and node.attr in ("add", "add_batch")
            and last_part(root(node.value)) == name
            for node in self._scope
        )

    def _filled(self, name: str) -> int:
        """Count how often a list is filled in the loop."""
        return sum(
            isinstance(each, ast.Attribute)
            and each.attr in GATHERING
            and isinstance(each.value, ast.Name)
            and each.value.id == name
            for each in self._inside
        )

    def _ends_of_lists(self, statement: ast.stmt) -> Iterator[int]:
        """Find where figures of all batches are put into a list of which only the last is read."""
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[given]
                )
            ):
                read = [e for e in self._uses(self._scope, name) if isinstance(e.ctx, ast.Load)]
                ends = [
                    each
                    for each in self._scope
                    if isinstance(each, ast.Subscript) and ast.unparse(each) == f"{name}[-1]"
                ]
                is_all = len(read) == len(ends) + 1 and not re.search(ON_PURPOSE, name)
                if ends and is_all and self._of_batch & names(given):
                    yield ends[0].lineno


def _only_names(statement: ast.stmt) -> bool:
    """Return whether a statement gives values to names, and does nothing else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    only = ast.Name | ast.Tuple | ast.List | ast.expr_context
    are_names = all(isinstance(e, only) for target in targets for e in ast.walk(target))
    return isinstance(statement, ast.With) or (bool(targets) and are_names)


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that each turn of a loop runs, whatever the batch is."""
    for each in body:
        yield each
        if isinstance(each, ast.With):
            yield from _statements(each.body)


def _targets(loop: ast.For) -> set[str]:
    """Return the names of what a batch holds; the number of the batch is none."""
    match loop.target, loop.iter:
        case ast.Tuple(elts=[_, batch]), ast.Call() as call if last_part(call.func) == "enumerate":
            return names(batch)
    return names(loop.target)


def _returns_figure(function: ast.FunctionDef) -> bool:
    """Return whether all that a function returns is one number, made of all rows it is given."""
    returned = [each.value for each in parts(function, ast.Return)]
    return bool(returned) and all(each is not None and _is_figure(each) for each in returned)


def _is_figure(value: ast.expr) -> bool:
    """Return whether an expression is one number, made of all rows of a batch."""
    match value:
        case ast.BinOp():
            return _is_figure(value.left) or _is_figure(value.right)
        case ast.Call(func=ast.Attribute(attr="item")):
            return True
        case ast.Call(func=ast.Name(id="float" | "int" | "round"), args=[given, *_]):
            return _is_figure(given)
        case ast.Call():
            name = last_part(value.func)
            is_whole = not value.keywords and len(value.args) <= isinstance(value.func, ast.Name)
            is_whole |= name.endswith("_score")
            return (name in REDUCTIONS and is_whole) or _is_loss(name) or _is_computed(value)
    return False


def _is_computed(call: ast.Call) -> bool:
    """Return whether a metric of `evaluate` computes its figures of what this call is given."""
    given = {each.arg for each in call.keywords}
    return last_part(call.func) == "compute" and {"predictions", "references"} <= given


def _is_loss(name: str) -> bool:
    """Return whether a function is a loss by its name, and not one that adds up losses."""
    return bool(re.search(LOSS, name)) and not re.search(ADDING, name)


def _has_loss(node: ast.AST) -> bool:
    """Return whether a loss is computed in it, or taken from what a network of theirs gives."""
    calls = (last_part(each.func) for each in parts(node, ast.Call))
    return any(map(_is_loss, calls)) or any(e.attr == "loss" for e in parts(node, ast.Attribute))


# Loops that evaluate, and in which the network is never asked.


def asks_none(tree: ast.Module) -> list[int]:
    """Find the loops of functions that use a network for nothing, and call nothing that might.

    That no network is asked elsewhere has to be measured.
    """
    imports = (e for e in ast.walk(tree) if isinstance(e, ast.Import | ast.ImportFrom))
    imported = {(e.asname or e.name).partition(".")[0] for node in imports for e in node.names}
    defined = (e for e in ast.walk(tree) if isinstance(e, ast.FunctionDef | ast.ClassDef))
    made = {*stored(tree), *(each.name for each in defined)} - imported
    return [
        loop.lineno
        for function in parts(tree, ast.FunctionDef)
        if _is_unasked(function)
        if all(_is_known(each, function, imported, made) for each in parts(function, ast.Call))
        for loop in parts(function, ast.For)
    ]


def _is_known(
    call: ast.Call, function: ast.FunctionDef, imported: set[str], made: set[str]
) -> bool:
    """Return whether it calls nothing that the script has made, but methods of a batch's parts."""
    given = {each.arg for each in parts(function.args, ast.arg)}
    if isinstance(call.func, ast.Name):
        return call.func.id not in made | (given - imported)
    first = root(call.func)
    is_local = isinstance(first, ast.Name) and first.id in imported | ({*stored(function)} - given)
    return method(call) in MODES or (bool(method(call)) and is_local)


def _is_unasked(function: ast.FunctionDef) -> bool:
    """Return whether a network has its mode set, and all else is a matter of the loop."""
    modes = (owner_of(call) for call in parts(function, ast.Call) if method(call) in MODES)
    switched = [ast.unparse(each) for each in modes if each is not None]
    used = [
        ast.unparse(node)
        for node in ast.walk(function)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    ]
    return (
        any(each.attr == "eval" for each in parts(function, ast.Attribute))
        and any(each.value for each in parts(function, ast.Return))
        and all(used.count(name) == switched.count(name) for name in switched)
    )
