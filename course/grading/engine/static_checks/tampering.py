"""Places where a submission reaches for the workings of the run instead of mending the script.

The text is only read, never run, and by what its names may stand for (`origin.py`
beside this). This is no proof of innocence: it is why answers do not count where it finds
something, and the weights of a model and the box around the process stand whether it does or not.
"""

import ast
import builtins
import codecs
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from course.grading.engine.static_checks import reach
from course.grading.engine.static_checks.origin import (
    CLASS,
    NAMESPACE,
    Origins,
    TooDeep,
    TooMuch,
    own,
)

MANY = 20
"""How many findings are told; a script with more of them is not told apart by the others."""
LONG = 60
COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
NODES = 100_000
"""How many nodes the tree of a script may have; those of the lessons have a thousand."""
FOLLOWED = 200
"""How many expressions are looked at to see how a name was put together."""
ACCESSING = frozenset({"getattr", "setattr", "delattr"})
LISTING = frozenset({"enumerate", "iter", "list", "reversed", "set", "sorted", "tuple", "zip"})
NAMING = frozenset({"items", "keys", "values"})
READING = frozenset({"get", "keys"})


@dataclass(frozen=True, order=True)
class StaticFinding:
    """A place in a submission: its line, and the code there as a person would name it."""

    line: int
    what: str


def find(text: str) -> tuple[StaticFinding, ...]:
    """Where a submission tampers, in the order of its lines; the first `MANY` places.

    Of a text that is no Python, as the Python sees it that this program runs in, nothing is
    found. One that is nested too deeply, or too long, to be followed is a finding itself.
    """
    plain = text.removeprefix("\ufeff")
    findings = set(_encoding(plain))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # An odd escape is no business of ours.
            tree = ast.parse(plain)
        findings.update(_Search(tree).findings())
    except (SyntaxError, ValueError):
        pass
    except (RecursionError, MemoryError, TooDeep):
        findings.add(StaticFinding(1, "(((…"))
    except TooMuch:
        findings.add(StaticFinding(1, ";;;…"))
    return tuple(sorted(findings)[:MANY])


def _encoding(text: str) -> Iterator[StaticFinding]:
    """A first line that has Python read another text than the one that stands there."""
    for number, line in enumerate(re.split("\r\n|\r|\n", text, maxsplit=2)[:2], 1):
        if named := COOKIE.match(line):
            try:
                codecs.lookup(named[1])
                other = text.encode().decode(named[1], "replace")
                same = _latin(other) == _latin(text)
            except (LookupError, ValueError):
                same = False
            if not same:
                yield StaticFinding(number, _short(named[0]))


def _latin(text: str) -> str:
    return "".join(filter(str.isascii, text))


class _Search:
    def __init__(self, tree: ast.Module) -> None:
        walk = (n for n in ast.walk(tree) if not isinstance(n, ast.expr_context))
        self.nodes = list(islice(walk, NODES))
        if len(self.nodes) == NODES:
            raise TooMuch
        self.origins = Origins(self.nodes)
        self.values: dict[ast.AST, ast.expr] = {}
        """What a place is set to, where that can be told."""
        self.called: set[ast.AST] = set()
        """What is called, where it is called."""
        self.asked: set[ast.AST] = set()
        """What is only asked whether something is in it."""
        for node in self.nodes:
            self._note(node)
        self.deleted = {
            n.id for n in self.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)
        }
        self.replaced: dict[str, int] = {}
        """Names that the script surely gives to functions of its own or of a module, since when."""
        for statement in reversed(tree.body):
            match statement:
                case ast.FunctionDef(name=name):
                    self.replaced[name] = statement.lineno
                case ast.ImportFrom(module=module, names=aliases) if module != "builtins":
                    for alias in aliases:
                        self.replaced[alias.asname or alias.name] = statement.lineno

    def findings(self) -> Iterator[StaticFinding]:
        for node in self.nodes:
            for what in self._look(node):
                yield StaticFinding(getattr(node, "lineno", 1), _short(what))
        yield from self._own_modules()

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                self.values.update(dict.fromkeys(targets, value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.values[target] = value
            case ast.AugAssign(target=target, value=value):
                self.values[target] = value
            case ast.Call(func=function):
                self.called.add(function)
            # Whether a module is loaded tells where one is: `"google.colab" in sys.modules`.
            case ast.Compare(left=ast.Constant(), ops=[ast.In() | ast.NotIn()], comparators=[one]):
                self.asked.add(one)

    def _look(self, node: ast.AST) -> Iterable[str]:
        match node:
            case ast.Import(names=aliases):
                return self._imports([alias.name for alias in aliases])
            case ast.ImportFrom(module=module, names=aliases):
                return self._imports([f"{module or ''}.{alias.name}" for alias in aliases])
            case ast.Attribute():
                return self._attribute(node)
            case ast.Name():
                return self._name(node)
            case ast.Call():
                return self._call(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Constant(value=str() | bytes() as value):
                return self._text(value)
            case ast.ClassDef():
                return self._class(node)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                return [f"def {name}"] if name in reach.DEFINED else []
            case ast.keyword(arg=name) | ast.arg(arg=name):
                return [str(name)] if name and "course_probe" in name else []
        return []

    def _imports(self, names: list[str]) -> Iterator[str]:
        for name in names:
            full = reach.canonical(name)
            *module, last = full.split(".")
            if last == "*" and module:
                full = ".".join(module)
            if reach.denied(full) or last in reach.ATTRIBUTES or "course_probe" in name:
                yield f"import {name.removesuffix('.*')}"

    def _attribute(self, node: ast.Attribute) -> Iterator[str]:
        what = _written(node)
        if self._leads_away(node):
            yield what
        elif not isinstance(node.ctx, ast.Load) and self._sets(
            node.value, node.attr, self.values.get(node)
        ):
            yield f"del {what}" if isinstance(node.ctx, ast.Del) else f"{what} = …"

    def _leads_away(self, node: ast.Attribute) -> bool:
        if node.attr in reach.ATTRIBUTES or "course_probe" in node.attr:
            return True
        if node.attr in ("__setattr__", "__delattr__"):
            return not _super(node.value)
        return node not in self.asked and any(map(reach.denied, self.origins.of(node)))

    def _sets(self, base: ast.expr, attribute: str, value: ast.expr | None) -> bool:
        """Whether giving this attribute a new value changes what the run or a library does."""
        if attribute.startswith("__") and attribute.endswith("__"):
            return attribute not in reach.HARMLESS
        if own(base):
            return False
        if attribute in reach.METHODS:
            return True
        return any(not _may_set(name, attribute, value) for name in self.origins.of(base))

    def _name(self, node: ast.Name) -> Iterator[str]:
        name, read = node.id, isinstance(node.ctx, ast.Load)
        if (
            "course_probe" in name
            or (name in reach.ATTRIBUTES and name.startswith("__"))
            or (read and name in reach.EXECUTING and not self._shadowed(name, node.lineno))
            or (read and name in ACCESSING and node not in self.called)
            or (read and any(map(reach.denied, self._from_star(name))))
        ):
            yield name

    def _from_star(self, name: str) -> Iterator[str]:
        """Full names of what a bare name may be that came with all names of a module."""
        if name not in self.origins.names and name not in self.origins.bound:
            for module in self.origins.starred:
                yield reach.canonical(f"{module}.{name}")

    def _shadowed(self, name: str, line: int) -> bool:
        """Whether a built-in's name surely stands for a function of the script's own, or `re`'s."""
        return name not in self.deleted and self.replaced.get(name, line) < line

    def _call(self, call: ast.Call) -> Iterator[str]:
        for keyword in call.keywords:
            match keyword:
                case ast.keyword(arg=("closefd" | "capture_locals") as option):
                    yield f"{option}="
                case ast.keyword(arg="allow_pickle", value=ast.Constant(value=True)):
                    yield "allow_pickle=True"
        made = self.origins.of(call)
        denied = [name for name in made if reach.denied(name)]
        if denied and not any(map(reach.denied, self.origins.of(call.func))):
            yield denied[0]
        for name in self.origins.of(call.func):
            yield from self._call_of(name, call)
        match call.func:
            case ast.Attribute(attr="register_module_forward_hook"):
                yield _written(call.func)
            case ast.Attribute(value=base, attr=method):
                origins = self.origins.of(base)
                if NAMESPACE in origins and method not in READING:
                    yield _written(call.func)
                if any(o.endswith(".__dict__") for o in origins) and method not in READING | NAMING:
                    yield _written(call.func)

    def _call_of(self, name: str, call: ast.Call) -> Iterator[str]:
        match name, call.args:
            case "built-in.getattr", [base, key, *_]:
                yield from self._reads(base, key)
            case "built-in.setattr" | "built-in.delattr", [base, key, *rest]:
                yield from self._writes(name, base, key, rest[0] if rest else None)
            case "built-in.getattr" | "built-in.setattr" | "built-in.delattr", _:
                yield name.removeprefix("built-in.")
            case "built-in.open" | "io.open" | "codecs.open", [file, *_]:
                if self._number(file):
                    yield "open(…)"
            case "operator.attrgetter" | "operator.methodcaller", keys:
                for key in keys[: 1 if name.endswith("caller") else None]:
                    yield from self._reads(None, key)
            case "importlib.import_module", [ast.Constant(value=str(module)), *_]:
                yield from self._imports([module])
            case "importlib.import_module", _:
                yield "import_module(…)"

    def _reads(self, base: ast.expr | None, key: ast.expr) -> Iterator[str]:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            for part in key.value.split("."):
                if part in reach.ATTRIBUTES:
                    yield f'getattr(…, "{part}")'
        elif base is None or self._known(base) or (self._made_up(key) and not _begins_plainly(key)):
            yield "getattr(…)"

    def _writes(
        self, name: str, base: ast.expr, key: ast.expr, value: ast.expr | None
    ) -> Iterator[str]:
        function = name.removeprefix("built-in.")
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            if self._sets(base, key.value, value):
                yield f'{function}({_written(base)}, "{key.value}")'
        elif self._known(base) or (self._made_up(key) and not _begins_plainly(key)):
            yield f"{function}({_written(base)}, …)"

    def _known(self, base: ast.expr) -> bool:
        """Whether this is a module, a class or a function, rather than an object."""
        return bool(self.origins.of(base)) or self.origins.defined(base)

    def _made_up(self, key: ast.expr) -> bool:
        """Whether the name of an attribute was put together, rather than listed or written down."""
        todo, seen = [key], {key}
        while todo:
            if len(seen) > FOLLOWED:
                return True
            node = todo.pop()
            following: list[ast.expr] = []
            match node:
                case ast.Name(id=name):
                    following = self._values(name)
                case ast.Call(func=ast.Name(id=function), args=arguments) if function in LISTING:
                    following = arguments
                case ast.Call(func=ast.Attribute(value=base, attr=method), args=[]) if (
                    method in NAMING
                ):
                    following = [base]
                case ast.Call(func=ast.Name(id="dir" | "vars")) | ast.Constant() | ast.Attribute():
                    pass
                case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
                    following = items
                case ast.Dict(keys=keys, values=items):
                    following = [*items, *(k for k in keys if k is not None)]
                case ast.Subscript(value=base, slice=index) if not isinstance(index, ast.Slice):
                    following = [base]
                case ast.IfExp(body=first, orelse=second):
                    following = [first, second]
                case _:
                    return True
            todo += [node for node in following if node not in seen]
            seen.update(following)
        return False

    def _values(self, name: str) -> list[ast.expr]:
        """What a name may be, or be an element of; not endlessly many."""
        bound, within = self.origins.bound.get(name, ()), self.origins.within.get(name, ())
        return list(islice(chain(bound, within), FOLLOWED + 1))

    def _number(self, file: ast.expr) -> bool:
        """Whether a file is opened by the number of a descriptor instead of its name."""
        match file:
            case ast.Constant(value=value):
                return isinstance(value, int)
            case ast.Call(func=ast.Name(id="int" | "min" | "max")) | ast.UnaryOp():
                return True
            case ast.Call(func=ast.Attribute(attr="fileno")):
                return True
            case ast.BinOp(left=left, right=right):
                return self._number(left) and self._number(right)
            case ast.Name(id=name):
                return any(map(_numbers, self._values(name)))
        return False

    def _subscript(self, node: ast.Subscript) -> Iterator[str]:
        origins = self.origins.of(node.value)
        if not isinstance(node.ctx, ast.Load):
            replaced = _ends_in_dict(node.value) and _text_of(node.slice) in (
                reach.METHODS | reach.ATTRIBUTES
            )
            if replaced or any(o == NAMESPACE or o.endswith(".__dict__") for o in origins):
                yield f"{_written(node.value)}[…] = …"
        elif NAMESPACE in origins and self._made_up(node.slice):
            yield f"{_written(node.value)}[…]"

    def _text(self, value: str | bytes) -> Iterator[str]:
        text = value if isinstance(value, str) else value.decode("latin-1")
        if found := reach.WORDS.search(text):
            yield f'"{found[0]}"'
        elif text in reach.ATTRIBUTES and "_" in text:
            yield f'"{text}"'

    def _class(self, node: ast.ClassDef) -> Iterator[str]:
        """A class that puts itself between the run and what the run uses."""
        foreign = any(self.origins.of(base) for base in node.bases)
        for keyword in node.keywords:
            if keyword.arg == "metaclass" and self.origins.of(keyword.value) != {"abc.ABCMeta"}:
                yield f"class {node.name}(metaclass=…)"
        for statement in node.body:
            match statement:
                case ast.FunctionDef(name=name, decorator_list=decorators) if foreign:
                    if name == "__getattr__" or (
                        name in reach.COMPONENTS and any(map(_property, decorators))
                    ):
                        yield f"{node.name}.{name}"
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    if (foreign and name in reach.COMPONENTS and _property(value)) or (
                        name in reach.DEFINED
                    ):
                        yield f"{node.name}.{name}"

    def _own_modules(self) -> Iterator[StaticFinding]:
        """Code that the script writes to be run beside what was handed in."""
        writing = min(
            (
                n.lineno
                for n in self.nodes
                if isinstance(n, ast.Call)
                and isinstance(n.func, ast.Attribute)
                and n.func.attr in reach.WRITING
            ),
            default=None,
        )
        if writing is None:
            return
        for node in self.nodes:
            name = _text_of(node)
            if name and reach.CODE_FILE.fullmatch(name):
                yield StaticFinding(getattr(node, "lineno", 1), _short(f'"{name}"'))


def _may_set(origin: str, attribute: str, value: ast.expr | None) -> bool:
    """Whether a script may set this attribute of something that it did not make."""
    *_, last = parts = origin.split(".")
    if origin == CLASS or last[:1].isupper():
        return False
    if attribute in reach.WRITABLE.get(origin, ()) or reach.SETTINGS & {*parts, attribute}:
        return True
    match value:
        # A plain value can't do anything, least of all in place of a function.
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return True
        # What old scripts need with a numpy of today: `np.bool = bool`.
        case ast.Name(id=name):
            return isinstance(getattr(builtins, name, None), type)
    return False


def _begins_plainly(key: ast.expr) -> bool:
    """Whether a name that is put together begins so that nothing of the workings is called that."""
    match key:
        case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]):
            pass
        case ast.BinOp(left=ast.Constant(value=str(start)), op=ast.Add()):
            pass
        case _:
            return False
    out_of_bounds = reach.ATTRIBUTES | reach.METHODS
    return start[:1].isalpha() and not any(name.startswith(start) for name in out_of_bounds)


def _numbers(value: ast.expr) -> bool:
    """Whether a value is a whole number, or holds some."""
    match value:
        case ast.Constant(value=plain):
            return isinstance(plain, int)
        case ast.Call(func=ast.Name(id="range")):
            return True
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            return any(isinstance(i, ast.Constant) and isinstance(i.value, int) for i in items)
    return False


def _property(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=function):
            return _property(function)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in ("property", "cached_property", "getter", "setter")
    return False


def _super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    )


def _ends_in_dict(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="__dict__"):
            return True
        case ast.Call(func=ast.Name(id="vars")):
            return True
    return False


def _text_of(node: ast.AST) -> str:
    """A text that stands in the script, also one that is added up of several."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.BinOp(
            left=ast.Constant(value=str(left)), op=ast.Add(), right=ast.Constant(value=str(right))
        ):
            return left + right
    return ""


def _written(node: ast.expr) -> str:
    """Names with dots between them, as they stand in the script; the rest is left out."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    match node:
        case ast.Name(id=name):
            parts.append(name)
        case ast.Call(func=ast.Name(id=name)):
            parts.append(f"{name}(…)")
        case _:
            parts.append("…")
    return ".".join(reversed(parts))


def _short(what: str) -> str:
    plain = "".join(c if c.isprintable() else "?" for c in what)
    return plain if len(plain) <= LONG else plain[: LONG - 1] + "…"
