"""Where the names of a script come from: which of its values are modules, classes, functions.

Only the text is looked at. A name may stand for several things, as it is bound in several places,
and scopes are not told apart: what any of them makes of a name, the name may be.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable

from course.grading.engine.static_checks.reach import BUILTINS, DOORS, canonical

CLASS = "type()"
"""The class of some object."""
NAMESPACE = "globals()"
"""The names of the script, or of a function, as a dict."""
DEPTH = 100
"""How deep an expression is followed; no honest one that names a class is deeper."""
ROUNDS = 20
"""How many names in a row are followed that stand for one another."""
GIVEN = 20_000
"""How many calls of the script's own functions are followed."""
PARTS = 9
MANY = 40
CHOOSING = frozenset(
    {"dict", "filter", "iter", "list", "max", "min", "next", "reversed", "set", "sorted", "tuple"}
)
"""Built-in functions that give back what they are given, or some of it."""
HANDING_ON = frozenset({"contextlib", "copy", "functools", "itertools", "operator"})
"""Modules of such functions."""
FILLING = frozenset({"add", "append", "appendleft", "extend", "insert", "setdefault", "update"})
Found = frozenset[str]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
NOTHING: Found = frozenset()


class TooDeep(Exception):
    """An expression is nested more deeply than is followed."""


class TooMuch(Exception):
    """There is more in a text than is followed."""


class Origins:
    """What the expressions of a text may stand for, by full name: `transformers.Trainer`.

    `nodes` are all those of the text. Objects that the script makes have no origin; `CLASS` and
    `NAMESPACE` stand for what has no name of its own.

    Raises:
        TooDeep: an expression is nested more deeply than is followed.
        TooMuch: there are more things that a name may stand for than are followed.

    """

    def __init__(self, nodes: list[ast.AST]) -> None:
        self.bound: dict[str, list[ast.expr]] = defaultdict(list)
        """The expressions whose value a name may have."""
        self.within: dict[str, list[ast.expr]] = defaultdict(list)
        """The expressions of which a name may be an element."""
        self.fields: dict[str, list[ast.expr]] = defaultdict(list)
        """What an attribute of this name may be, of whatever object of the script's own."""
        self.put: dict[str, list[ast.expr]] = defaultdict(list)
        """What is put into a container of this name."""
        self.imported: dict[str, set[str]] = defaultdict(set)
        self.opaque: set[str] = set()
        """Names that are parameters, or bound by something that is not followed."""
        self.functions: dict[str, list[Function]] = defaultdict(list)
        self.classes: set[str] = set()
        self.starred: list[str] = []
        self.given = 0
        for node in nodes:
            self._bind(node)
        if any(len(found) > MANY for found in self.imported.values()):
            raise TooMuch
        self.lambdas = {
            name: [v for v in values if isinstance(v, ast.Lambda)]
            for name, values in self.bound.items()
        }
        for node in nodes:
            if isinstance(node, ast.Call):
                self._bind_arguments(node)
        self.names: dict[str, Found] = {k: frozenset(v) for k, v in self.imported.items()}
        self.elements: dict[str, Found] = {}
        """What the elements of a container may stand for, however deep in it."""
        self.kept: dict[str, Found] = {}
        """What attributes of the script's own objects may stand for."""
        self.results: dict[Function, Found] = {}
        self._settle([n for n in nodes if isinstance(n, Function)])

    def of(self, node: ast.expr | None, depth: int = 0) -> Found:
        """Full names of the modules, classes and functions that an expression may stand for.

        Raises:
            TooDeep: it is nested more deeply than is followed.

        """
        if depth > DEPTH:
            raise TooDeep
        below = depth + 1
        match node:
            case ast.Name(id=name):
                return self._of_name(name)
            case ast.Attribute(value=value, attr="__class__"):
                return NOTHING if own(value) else frozenset({CLASS})
            case ast.Attribute(value=value, attr=attribute):
                bases = self.of(value, below)
                return _below(bases, attribute) if bases else self.kept.get(attribute, NOTHING)
            case ast.Call():
                return self._of_call(node, below)
            case ast.IfExp(body=first, orelse=second):
                return self.of(first, below) | self.of(second, below)
            case ast.BoolOp(values=values):
                return self._union(values, below)
            case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.Await(value=value):
                return self.of(value, below)
            case ast.Subscript(value=value, slice=key):
                return self._of_element(value, key, below)
        return NOTHING

    def defined(self, node: ast.expr) -> bool:
        """Whether an expression is a function or class of the script's own, or a literal."""
        if isinstance(node, ast.Name):
            return node.id in self.functions or node.id in self.classes
        return isinstance(
            node, ast.Constant | ast.Lambda | ast.Tuple | ast.List | ast.Dict | ast.Set
        )

    def _of_name(self, name: str) -> Found:
        found = self.names.get(name, NOTHING)
        if name in BUILTINS:
            return found | {f"built-in.{name}"}
        known = name in self.bound or name in self.within or name in self.opaque
        if found or known or name in self.functions or name in self.classes:
            return found
        # What nothing binds may have come with all names of a module.
        return frozenset({name}) if self.starred or name in DOORS else NOTHING

    def _union(self, nodes: Iterable[ast.expr], depth: int) -> Found:
        return frozenset(name for node in nodes for name in self.of(node, depth))

    def _of_call(self, call: ast.Call, depth: int) -> Found:
        found: set[str] = set()
        for name in self.of(call.func, depth):
            match name, call.args:
                case "built-in.type", [one] if not own(one):
                    found.add(CLASS)
                case "built-in.getattr", [base, ast.Constant(value=str(attribute)), *_]:
                    found |= _below(self.of(base, depth), attribute)
                case "importlib.import_module" | "built-in.__import__", [
                    ast.Constant(value=str(module)),
                    *_,
                ]:
                    found.add(canonical(module))
                case "built-in.vars", [base]:
                    found |= _below(self.of(base, depth), "__dict__")
                case "built-in.globals" | "built-in.locals" | "built-in.vars", []:
                    found.add(NAMESPACE)
            if name.partition(".")[0] in HANDING_ON:
                found |= self._handed(call, depth)
        if isinstance(call.func, ast.Name) and call.func.id in CHOOSING:
            found |= self._handed(call, depth)
        for function in self.called(call):
            found |= self.results.get(function, NOTHING)
        return frozenset(found)

    def _of_element(self, container: ast.expr, key: ast.expr, depth: int) -> Found:
        found = self._inside(container, depth)
        for name in self.of(container, depth):
            base, dot, last = name.rpartition(".")
            if last == "__dict__" and dot and isinstance(key, ast.Constant):
                found |= _below(frozenset({base}), str(key.value))
        return found

    def _handed(self, call: ast.Call, depth: int) -> Found:
        return self._union(call.args, depth) | self._all_inside(call.args, depth)

    def _inside(self, node: ast.expr, depth: int = 0) -> Found:
        """What the elements of this container may stand for."""
        if depth > DEPTH:
            raise TooDeep
        below = depth + 1
        match node:
            case (
                ast.Tuple(elts=items)
                | ast.List(elts=items)
                | ast.Set(elts=items)
                | ast.Dict(values=items)
            ):
                return self._union(items, below) | self._all_inside(items, below)
            case ast.Call(func=ast.Attribute(value=value), args=[]):
                return self._inside(value, below)
            case ast.Call(args=arguments, keywords=keywords):
                keyed = [keyword.value for keyword in keywords]
                return self._union(keyed, below) | self._all_inside([*arguments, *keyed], below)
            case ast.Subscript(value=value) | ast.NamedExpr(value=value) | ast.Starred(value=value):
                return self._inside(value, below)
            case (
                ast.ListComp(elt=element) | ast.SetComp(elt=element) | ast.GeneratorExp(elt=element)
            ):
                return self.of(element, below)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self.elements.get(name, NOTHING)
        return NOTHING

    def _all_inside(self, nodes: Iterable[ast.expr], depth: int) -> Found:
        return frozenset(name for node in nodes for name in self._inside(node, depth))

    def called(self, call: ast.Call) -> list[Function]:
        """The script's own functions that a call may be one of."""
        match call.func:
            case ast.Lambda():
                return [call.func]
            case ast.Name(id=name):
                return [*self.functions.get(name, ()), *self.lambdas.get(name, ())]
            case ast.Attribute(attr=name):
                return list(self.functions.get(name, ()))
        return []

    def _bind(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    top = alias.name.partition(".")[0]
                    self.imported[alias.asname or top].add(
                        canonical(alias.name) if alias.asname else top
                    )
            case ast.ImportFrom(module=module, names=aliases):
                for alias in aliases:
                    if alias.name == "*":
                        self.starred.append(module or "")
                    else:
                        full = canonical(f"{module or ''}.{alias.name}")
                        self.imported[alias.asname or alias.name].add(full)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value)
            case (
                ast.NamedExpr(target=target, value=value)
                | ast.AugAssign(target=target, value=value)
            ):
                self._assign(target, value)
            case (
                ast.For(target=target, iter=container)
                | ast.AsyncFor(target=target, iter=container)
                | ast.comprehension(target=target, iter=container)
            ):
                self._take(target, container)
            case ast.withitem(context_expr=ast.Call() as call, optional_vars=ast.expr() as target):
                for argument in call.args:
                    self._assign(target, argument)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._bind_function(node)
            case ast.ClassDef(name=name, body=body):
                self.classes.add(name)
                for statement in body:
                    if isinstance(statement, ast.Assign):
                        for target in statement.targets:
                            if isinstance(target, ast.Name):
                                self.fields[target.id].append(statement.value)
            case ast.Call(keywords=keywords):
                for keyword in keywords:
                    if keyword.arg:
                        self.fields[keyword.arg].append(keyword.value)
                self._bind_contents(node)
            case ast.Match(subject=subject, cases=cases):
                for pattern in (p for case in cases for p in ast.walk(case.pattern)):
                    if isinstance(pattern, ast.MatchAs | ast.MatchStar) and pattern.name:
                        self.bound[pattern.name].append(subject)

    def _bind_function(self, node: Function) -> None:
        if not isinstance(node, ast.Lambda):
            self.functions[node.name].append(node)
        arguments = node.args
        plain = [*arguments.posonlyargs, *arguments.args]
        self.opaque.update(a.arg for a in (*plain, *arguments.kwonlyargs))
        for name, default in zip(reversed(plain), reversed(arguments.defaults), strict=False):
            self.bound[name.arg].append(default)
        for name, keyed in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if keyed is not None:
                self.bound[name.arg].append(keyed)

    def _bind_arguments(self, call: ast.Call) -> None:
        """Parameters stand for what the script's own functions are called with."""
        for function in self.called(call):
            self.given += 1
            if self.given > GIVEN:
                raise TooMuch
            arguments = function.args
            plain = [*arguments.posonlyargs, *arguments.args]
            if isinstance(call.func, ast.Attribute) and plain and own(plain[0].arg):
                plain = plain[1:]
            for name, value in zip(plain, call.args, strict=False):
                self.bound[name.arg].append(value)
            if arguments.vararg:
                many = call.args[len(plain) :]
                self.bound[arguments.vararg.arg].append(ast.Tuple(many, ast.Load()))
            known = {a.arg for a in (*plain, *arguments.kwonlyargs)}
            for keyword in call.keywords:
                if keyword.arg in known:
                    self.bound[keyword.arg].append(keyword.value)

    def _bind_contents(self, call: ast.Call) -> None:
        match call.func:
            case ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name), attr=method) if (
                method in FILLING
            ):
                self.put[name] += call.args

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _:
                self.bound[name].append(value)
            case ast.Attribute(attr=name), _:
                self.fields[name].append(value)
            case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name)), _:
                self.put[name].append(value)
            case ast.Starred(value=inner), _:
                self._assign(inner, value)
            case (
                (ast.Tuple(elts=targets) | ast.List(elts=targets)),
                (ast.Tuple(elts=values) | ast.List(elts=values)),
            ) if len(targets) == len(values):
                for one, own_value in zip(targets, values, strict=True):
                    self._assign(one, own_value)
            case ((ast.Tuple() | ast.List()), _):
                self._take(target, value)

    def _take(self, target: ast.expr, container: ast.expr) -> None:
        """The names of a target are elements of a container, or elements of these."""
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self.within[node.id].append(container)

    def _settle(self, functions: list[Function]) -> None:
        """Follow names that stand for names, until nothing new comes of it."""
        returned = {function: _returned(function) for function in functions}
        names = list(dict.fromkeys([*self.bound, *self.within, *self.put, *self.fields]))
        for _round in range(ROUNDS):
            before = self._known()
            names.reverse()
            for function, values in returned.items():
                self.results[function] = self._union(values, 0)
            for name in names:
                values, containers = self.bound.get(name, []), self.within.get(name, [])
                fields, put = self.fields.get(name, []), self.put.get(name, [])
                inside = self._all_inside([*values, *containers, *fields, *put], 0)
                _add(self.elements, name, inside | self._union(put, 0))
                _add(self.names, name, self._union(values, 0) | self._all_inside(containers, 0))
                _add(self.kept, name, self._union(fields, 0))
            if before == self._known():
                return
        raise TooMuch

    def _known(self) -> int:
        tables = (self.names, self.elements, self.kept, self.results)
        return sum(len(found) for table in tables for found in table.values())


def _add(table: dict[str, Found], name: str, new: Found) -> None:
    old = table.get(name, NOTHING)
    if new - old and len(old) < MANY:
        table[name] = old | new


def own(node: ast.expr | str) -> bool:
    """Whether this is how a method names its own object or class."""
    return (node.id if isinstance(node, ast.Name) else node) in ("self", "cls")


def _below(bases: Found, attribute: str) -> Found:
    longer = (canonical(f"{base}.{attribute}") for base in bases if base != NAMESPACE)
    return frozenset(name for name in longer if name.count(".") < PARTS)


def _returned(function: Function) -> list[ast.expr]:
    if isinstance(function, ast.Lambda):
        return [function.body]
    returns = (node for node in ast.walk(function) if isinstance(node, ast.Return))
    return [node.value for node in returns if node.value is not None]
