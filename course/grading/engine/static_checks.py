"""What stands in a submission's text that could make its answers false, or that is unusual.

The text is only read, never run. What *withholds* marks is what could have made answers false:
reaching for frames, for the probe's modules and files, patching the classes that are asked, and
running code that the text does not show. All else that is unusual is a note for the teacher and
costs nothing: the box around the process is the fence, not this list.

A name may stand for several things; scopes and the order of lines are not told apart.
"""

import ast
import builtins
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from course.base.texts import load_table

_NAMES = load_table("submissions")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WITHHELD = _words(_NAMES["withheld"])
"""Full names that lead to frames, to what others hold, or to code that the text does not show;
beside them, all that Python keeps to itself: `sys._getframe`, `_pickle`."""
OPEN = _words(_NAMES["open"])
"""Exceptions from these, where a whole module is meant; `hidden_code` of the probe fences some."""
PRIVATE = frozenset(n for n in sys.stdlib_module_names if n.startswith("_") and n[1] != "_")
DOORS = PRIVATE.union(n.partition(".")[0] for n in WITHHELD) - _words("code joblib pandas pytest")
"""Modules that many a library has imported, so that they are reached by way of it."""
RUNS = _words(_NAMES["runs"])
"""Functions that run a text, which may stand in the script for all to read."""
RELOAD = "importlib.reload"
"""A module that is loaded anew has lost what the probe has put into it; `logging` has nothing."""
RUNNERS = frozenset(name.rpartition(".")[2] for name in RUNS)
NOTED = _words(_NAMES["noted"])
"""Unusual in a script that trains a model, and no way to a mark."""
ATTRIBUTES = _words(_NAMES["attributes"])
"""Attributes that lead from any object to frames, to the workings of Python or of a library."""
METHODS = _words(_NAMES["methods"])
"""Methods through which answers come: of no class or object are they replaced to mend a script."""
DEFINED = frozenset(n for n in (*ATTRIBUTES, "__class__") if n.startswith("__"))
"""Methods by which an object of the script's own passes for another, or acts when it is loaded."""
COMPONENTS = _words("compute_metrics data_collator eval_dataset model train train_dataset")
"""What is asked of the object that trains; as a property it can be another one each time."""
HARMLESS = _words("__doc__ __name__ __qualname__ __all__ __version__ __signature__ __annotations__")
WRITABLE = _words(_NAMES["writable"])
SETTINGS = frozenset({"backends", "config", "options", "rcParams"})
"""Parts of libraries that are there to be written to."""
PROPERTIES = _words("property cached_property getter setter")
BUILTINS = _words(_NAMES["builtins"])
TEXT = re.compile(
    r"course_probe|\bsys\s*\.\s*modules\b|\b(?:_getframe|f_back|f_globals|f_locals|tb_frame)\b"
    r"|__(?:builtins|code|closure|getattribute|globals|import|reduce|reduce_ex|subclasses)__"
    r"|(?<![\w.~-])/(?:box/)?jobs?(?:/|$)"
)
"""What no honest text holds: names of the workings, and where the job's files lie."""
PROCESSES = re.compile(r"/proc(?:/(?:self|thread-self|\d+|sys|\{|$)|$)|/dev/fd(?:/|$)")
"""Where a process finds itself and others; the sandbox shows none of it."""
CODE_FILE = re.compile(r"[\w./~{}-]*\.(?:py|pyc|pyd|so)")
WRITING = _words(
    "copyfile extract extractall symlink_to tofile touch write write_bytes write_text writelines "
    "writestr"
)
"""Methods that may bring a file into being, of code that a script would then run."""
MOVING = {"copy": 2, "dump": 2, "move": 2, "rename": 1}
"""Methods that may, if they are given as many arguments: of a dict `copy` takes none."""
FILES = ("dst", "file", "fp", "mode", "src", "target", None)
"""Arguments by name that count as such."""
PROFILERS = _words("cProfile.Profile profile.Profile trace.Trace")
"""Classes whose objects run texts, by methods called `run` and `runctx`."""
CONTENTS = _words("append add copy get items keys pop popitem setdefault update values")
GIVING_BACK = _words("dict enumerate filter iter list max min next reversed set sorted tuple zip")
HANDING_ON = ("contextlib.", "copy.", "functools.", "inspect.", "itertools.", "operator.")
CLASS, NAMESPACE = "type()", "globals()"
"""Origins without a name of their own: the class of an object, the script's names as a dict."""
MANY, LONG, NODES, DEPTH, ROUNDS, FLOWS, STANDS_FOR = 20, 60, 100_000, 100, 20, 50_000, 40
"""How much is told or followed; the scripts of the lessons stay below a hundredth of it."""


@dataclass(frozen=True, order=True)
class StaticFinding:
    """A place in a submission: its line, the code there, and whether it withholds marks."""

    line: int
    what: str
    withholds: bool = True


def find(text: str) -> tuple[StaticFinding, ...]:
    """Find lines that could make answers false, or are unusual; the first `MANY` of each.

    In a text that is no Python nothing is found. One that is nested too deeply, or too long, to be
    followed is a finding itself.
    """
    text = text.removeprefix("\ufeff")
    findings = set()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # An odd escape is no business of ours.
            for line, what, withholds in _Search(ast.parse(text)).findings():
                printable = "".join(c if c.isprintable() else "?" for c in what)
                short = printable if len(printable) <= LONG else printable[: LONG - 1] + "…"
                findings.add(StaticFinding(line, short, withholds))
    except (SyntaxError, ValueError):
        pass
    except (RecursionError, MemoryError):
        findings.add(StaticFinding(1, "(((…"))
    groups = [[f for f in sorted(findings) if f.withholds is kind] for kind in (True, False)]
    return tuple(sorted(groups[0][:MANY] + groups[1][:MANY]))


class _Origins:
    """What the names of a text may stand for, by full name: `transformers.Trainer`.

    Variables, attributes and parameters of one name are one, and a container stands for what it
    holds. Objects that a library made have no origin.
    """

    def __init__(self, nodes: list[ast.AST]) -> None:
        self.known: dict[str, set[str]] = defaultdict(set)
        self.flows: dict[str, list[ast.expr]] = defaultdict(list)
        """The expressions whose value, or an element of it, a name may have."""
        self.functions: dict[str, list[ast.arguments]] = defaultdict(list)
        self.bound: set[str] = set()
        for node in nodes:
            self._bind(node)
        for node in nodes:
            if isinstance(node, ast.Call):
                self._bind_arguments(node)
        many = max(map(len, self.known.values()), default=0) > STANDS_FOR
        if many or sum(map(len, self.flows.values())) > FLOWS:
            raise MemoryError
        names = list(self.flows)
        for _round in range(ROUNDS):
            before = sum(map(len, self.known.values()))
            for name in names:
                for value in self.flows[name]:
                    if len(self.known[name]) < STANDS_FOR:
                        self.known[name] |= self.of(value)
            if before == sum(map(len, self.known.values())):
                return
            names.reverse()
        raise MemoryError

    def of(self, node: ast.AST, depth: int = 0) -> set[str]:
        """Full names of the modules, classes and functions that an expression may stand for.

        Raises:
            RecursionError: it is nested more deeply than is followed.

        """
        if depth > DEPTH:
            raise RecursionError
        match node:
            case ast.Name(id=name):
                # What nothing binds may have come with all names of a library.
                door = {name} & DOORS if name not in self.bound else set()
                return self.known.get(name, set()) | ({f"built-in.{name}"} & BUILTINS) | door
            case ast.Attribute(value=value, attr="__class__") if not _is_own(value):
                return {CLASS}
            case ast.Attribute(value=value, attr=name):
                return _below(self.of(value, depth + 1), name) | self.known.get(name, set())
            case ast.Call():
                return self._of_call(node, depth + 1)
            case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
                held = self.of(value, depth + 1)
                return held | _below((n[:-9] for n in held if n.endswith(".__dict__")), key)
            case ast.Subscript(value=value):
                return self.of(value, depth + 1)
            case ast.Constant() | ast.Lambda() | ast.JoinedStr() | ast.Compare() | ast.UnaryOp():
                return set()
            case ast.BinOp(left=left, right=right):
                sides = [s for s in (left, right) if isinstance(s, ast.List | ast.Tuple)]
                return self._of_all(sides, depth)
        return self._of_all(ast.iter_child_nodes(node), depth)

    def _of_all(self, nodes: Iterable[ast.AST], depth: int) -> set[str]:
        return {name for node in nodes for name in self.of(node, depth + 1)}

    def _of_call(self, call: ast.Call, depth: int) -> set[str]:
        found, follow = set(), False
        for name in self.of(call.func, depth):
            match name, call.args:
                case "built-in.type", [one] if not _is_own(one):
                    found.add(CLASS)
                case "built-in.getattr", [base, key, *_]:
                    bases, attribute = self.of(base, depth), _text_of(key)
                    found |= _below(bases, attribute) if attribute else bases
                case "importlib.import_module" | "built-in.__import__", [
                    ast.Constant(value=str(module)),
                    *_,
                ]:
                    # The built-in function gives back the package of a module.
                    found |= {_canonical(module), module.partition(".")[0]}
                case "built-in.vars", [base]:
                    found |= _below(self.of(base, depth), "__dict__")
                case "built-in.globals" | "built-in.locals" | "built-in.vars", []:
                    found.add(NAMESPACE)
            follow |= name.startswith(HANDING_ON)
        match call.func:
            case ast.Lambda(body=body):
                found |= self.of(body, depth)
            case ast.Name(id=function):
                follow |= function in GIVING_BACK
                found |= self.known.get(f"{function}()", set())
            case ast.Attribute(value=base, attr=function):
                found |= self.of(base, depth) if function in CONTENTS else set()
                found |= self.known.get(f"{function}()", set())
        return found | (self._of_all([*call.args, *call.keywords], depth) if follow else set())

    def _bind(self, node: ast.AST) -> None:  # noqa: C901 - a branch for each kind of binding
        match node:
            case ast.Import() | ast.ImportFrom():
                for alias, full in zip(node.names, _imported(node), strict=True):
                    name = alias.asname or alias.name
                    if isinstance(node, ast.Import) and not alias.asname:
                        name = full = full.partition(".")[0]
                    self.bound.add(name)
                    self.known[name].add(_canonical(full))
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._flow(target, value)
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                self._flow(target, value)
            case object(target=ast.expr() as target, value=ast.expr() as value):
                self._flow(target, value)
            case object(target=ast.expr() as target, iter=ast.expr() as value):
                self._flow(target, value)
            case ast.Match(subject=subject, cases=cases):
                for pattern in (p for case in cases for p in ast.walk(case.pattern)):
                    if isinstance(pattern, ast.MatchAs | ast.MatchStar) and pattern.name:
                        self._flow(ast.Name(pattern.name), subject)
            case ast.FunctionDef(name=name, args=args) | ast.AsyncFunctionDef(name=name, args=args):
                self.bound.add(name)
                self.functions[name].append(args)
                returns = (n.value for n in ast.walk(node) if isinstance(n, ast.Return))
                self.flows[f"{name}()"] += [value for value in returns if value]
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                self.bound.add(name)
            case ast.keyword(arg=str(name), value=value):
                self.flows[name].append(value)
            case ast.arguments(posonlyargs=first, args=rest, kwonlyargs=keyed):
                last = [*first, *rest][len(first) + len(rest) - len(node.defaults) :]
                defaults = [*node.defaults, *node.kw_defaults]
                for one, default in zip([*last, *keyed], defaults, strict=True):
                    self.flows[one.arg] += [default] if default else []

    def _flow(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ((ast.Name(id=name) | ast.Attribute(attr=name)), _):
                self.bound.add(name)
                self.flows[name].append(value)
                if isinstance(value, ast.Lambda):
                    self.functions[name].append(value.args)
                    self.flows[f"{name}()"].append(value.body)
            case ((ast.Subscript(value=inner) | ast.Starred(value=inner)), _):
                self._flow(inner, value)
            case ((ast.Tuple(elts=some) | ast.List(elts=some)), _):
                for one in some:
                    self._flow(one, value)

    def _bind_arguments(self, call: ast.Call) -> None:
        """Parameters stand for what the script's own functions are called with."""
        match call.func:
            case ast.Attribute(value=base, attr="append" | "add" | "extend" | "insert" | "update"):
                for value in call.args:
                    self._flow(base, value)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                if len(functions := self.functions.get(name, [])) > DEPTH:
                    raise MemoryError
                for each in functions:
                    names = [a.arg for a in (*each.posonlyargs, *each.args)]
                    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
                    for name, value in zip(names, call.args, strict=False):
                        self.flows[name].append(value)
                    if each.vararg:
                        self.flows[each.vararg.arg] += call.args[len(names) :]


class _Search:
    def __init__(self, tree: ast.Module) -> None:
        self.nodes: list[ast.AST] = []
        self.shown: set[ast.AST] = set()
        """Calls that run texts which stand in the script for all to read."""
        self._take(tree)
        self.origins = _Origins(self.nodes)
        self.values: dict[ast.AST, ast.expr] = {}
        """What a place is set to, where that can be told."""
        self.called: set[ast.AST] = set()
        self.imports: set[ast.AST] = set()
        """`__import__` where it is called with nothing but a name that stands there."""
        self.asked: set[ast.AST] = set()
        """What is only asked whether something is in it (`"google.colab" in sys.modules`), or shown
        as the program's name."""
        for node in self.nodes:
            match node:
                case ast.Compare(left=ast.Constant(), ops=[ast.In() | ast.NotIn()]):
                    self.asked.update(node.comparators)
                case ast.keyword(arg="prog", value=value):
                    self.asked.add(value)
                case ast.Assign(targets=targets, value=value):
                    self.values.update(dict.fromkeys(targets, value))
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self.values[target] = value
                case ast.Call(func=ast.Name(id="__import__") as function, args=[one], keywords=[]):
                    self.called.add(function)
                    self.imports.update([function] if _is_plain(one) else [])
                case ast.Call(func=function):
                    self.called.add(function)
        self.profiles = any(
            isinstance(node, ast.Attribute | ast.Name) and self.origins.of(node) & PROFILERS
            for node in self.nodes
        )
        """Whether an object may be one whose `run` runs a text."""
        self.own: dict[str, int] = {}
        """Functions at the top that stand in for a built-in of that name, since which line."""
        for statement in tree.body:
            match statement:
                case ast.FunctionDef(name=name):
                    self.own.setdefault(name, statement.lineno)
                case ast.ImportFrom(module=module, names=aliases) if module != "builtins":
                    for alias in aliases:
                        self.own.setdefault(alias.asname or alias.name, statement.lineno)

    def _take(self, tree: ast.AST, line: int | None = None) -> None:
        """Note all nodes, those of a text that is run as it stands here too."""
        for node in ast.walk(tree):
            if line is not None and hasattr(node, "lineno"):
                node.lineno = line
            self.nodes.append(node)
            if len(self.nodes) > 2 * NODES:
                raise MemoryError
            if isinstance(node, ast.Call) and _name(node.func) in RUNNERS:
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                if given and all(self._shows(each, node.lineno) for each in given):
                    self.shown.add(node)

    def _shows(self, given: ast.expr, line: int) -> bool:
        """Whether what is given to a function that runs texts hides none; what it shows is read."""
        match given:
            case ast.Constant(value=str(text)):
                try:
                    self._take(ast.parse(text), line)
                except (SyntaxError, ValueError):
                    return False
                return True
            case ast.Call(func=ast.Name(id="globals" | "locals"), args=[]):
                return True
        is_text = isinstance(given, ast.Constant) and isinstance(given.value, bytes)
        return isinstance(given, ast.Constant | ast.Lambda | ast.Dict) and not is_text

    def findings(self) -> Iterator[tuple[int, str, bool]]:
        """Yield the line, the code, and whether it withholds marks, in no order."""
        writes = any(map(self._may_write, self.nodes))
        for node in self.nodes:
            line = getattr(node, "lineno", 1)
            for what in self._look(node):
                yield line, what, True
            is_path = writes and node not in self.asked
            if is_path and CODE_FILE.fullmatch(name := _text_of(node)):
                yield line, f'"{name}"', True
            for name in _imported(node):
                if _is_in(NOTED, name):
                    yield line, f"import {name}", False
            if isinstance(node, ast.Attribute) and any(
                name in NOTED and "." in name for name in self.origins.of(node)
            ):
                yield line, ast.unparse(node), False
            if found := PROCESSES.search(_text_of(node)):
                yield line, f'"{found[0]}"', False

    def _may_write(self, node: ast.AST) -> bool:
        """Whether a call may bring a file into being."""
        if not isinstance(node, ast.Call):
            return False
        name = _name(node.func)
        given = len(node.args) + sum(keyword.arg in FILES for keyword in node.keywords)
        if name == "replace":
            # A path is replaced by one other, a part of a text by another part.
            return given == 1 or "os.replace" in self.origins.of(node.func)
        if isinstance(node.func, ast.Name) and name == "open":
            return given > 1
        return name in WRITING or given >= MOVING.get(name, given + 1)

    def _look(self, node: ast.AST) -> Iterable[str]:
        match node:
            case ast.Import() | ast.ImportFrom():
                everything = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
                names = [n for n in _imported(node) if everything and n in DOORS]
                names = names or list(filter(_is_import_withheld, _imported(node)))
                return [f"import {name}" for name in names]
            case ast.Attribute():
                return self._attribute(node)
            case ast.Name():
                return self._bare_name(node)
            case ast.Call():
                return self._call(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Constant(value=str() | bytes() as value):
                text = value if isinstance(value, str) else value.decode("latin-1")
                if found := TEXT.search(text):
                    return [f'"{found[0]}"']
                return [f'"{text}"'] if text in ATTRIBUTES and "_" in text else []
            case ast.ClassDef():
                return self._class(node)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                return [f"def {name}"] if name in DEFINED else []
            case ast.keyword(arg=str(name)) | ast.arg(arg=name):
                hides = "course_probe" in name or name in ("closefd", "capture_locals")
                return [f"{name}="] if hides else []
        return []

    def _attribute(self, node: ast.Attribute) -> Iterator[str]:
        value = self.values.get(node)
        if node.attr in ATTRIBUTES or "course_probe" in node.attr:
            yield ast.unparse(node)
        elif node.attr in ("__setattr__", "__delattr__"):
            if not (isinstance(node.value, ast.Call) and _name(node.value.func) == "super"):
                yield ast.unparse(node)
        elif (
            node not in self.asked and any(map(_is_withheld, self.origins.of(node)))
        ) or self._hands_on(node):
            yield ast.unparse(node)
        elif isinstance(node.ctx, ast.Del) and self._patches(node.value, node.attr, value):
            yield f"del {ast.unparse(node)}"
        elif isinstance(node.ctx, ast.Store) and self._patches(node.value, node.attr, value):
            yield f"{ast.unparse(node)} = …"

    def _hands_on(self, node: ast.Attribute | ast.Name) -> bool:
        """Whether what runs texts, or reloads, is given to another function, which may give any."""
        read = isinstance(node.ctx, ast.Load) and node not in self.called
        runs = {name for name in self.origins.of(node) if not name.startswith("built-in.")}
        return read and bool(runs & {*RUNS, RELOAD})

    def _patches(self, base: ast.expr, attribute: str, value: ast.expr | None) -> bool:
        """Whether giving this attribute a new value changes what a library or the run does."""
        if attribute.startswith("__") and attribute.endswith("__"):
            return attribute not in HARMLESS
        # A plain value can't do anything; the types are what old scripts need with numpy.
        harmless = value is not None and _is_plain(value)
        if _is_own(base) or attribute in METHODS:
            return not (_is_own(base) or harmless)
        harmless |= isinstance(value, ast.Name) and isinstance(getattr(builtins, value.id, 0), type)
        for name in self.origins.of(base):
            *_, last = parts = name.split(".")
            settings = f"{name}.{attribute}" in WRITABLE or SETTINGS & {*parts, attribute}
            if name == CLASS or last[:1].isupper() or not (settings or harmless):
                return True
        return False

    def _bare_name(self, node: ast.Name) -> Iterator[str]:
        name, read = node.id, isinstance(node.ctx, ast.Load)
        runs = f"built-in.{name}" in RUNS and not self._is_shadowed(node)
        handed_on = read and node not in self.called and ("attr" in name or runs)
        if (
            "course_probe" in name
            or (name in ATTRIBUTES and name.startswith("__") and node not in self.imports)
            or (isinstance(node.ctx, ast.Del) and f"built-in.{name}" in RUNS)
            or (handed_on and f"built-in.{name}" in BUILTINS)
            or self._hands_on(node)
        ):
            yield name

    def _is_shadowed(self, node: ast.expr) -> bool:
        """Whether a built-in's name surely stands for a function of the script's own, or `re`'s."""
        return isinstance(node, ast.Name) and self.own.get(node.id, node.lineno) < node.lineno

    def _call(self, call: ast.Call) -> Iterator[str]:  # noqa: C901 - a branch for each rule
        functions, written = self.origins.of(call.func), ast.unparse(call.func)
        if any(map(_is_withheld, self.origins.of(call))) and not any(map(_is_withheld, functions)):
            yield written
        for name in functions:
            match name, call.args:
                case "built-in.__import__", [ast.Constant(value=str(module)), *_] if (
                    _is_import_withheld(module)
                ):
                    yield written
                case "built-in.__import__", _ if call.func in self.imports:
                    pass
                case _ if name in RUNS:
                    if call not in self.shown and not self._is_shadowed(call.func):
                        yield written
                case "importlib.import_module", [ast.Constant(value=str(module)), *_]:
                    yield from [f"import {module}"] if _is_import_withheld(module) else []
                case "importlib.import_module", _:
                    yield written
                case name, some if name == RELOAD:
                    if [self.origins.of(each) for each in some] != [{"logging"}]:
                        yield written
                case "built-in.getattr", [base, key, *_]:
                    text = _text_of(key)
                    door = {name.partition(".")[0] for name in self.origins.of(base)} & DOORS
                    if text in ATTRIBUTES or (not text and (door or self._is_made_up(key))):
                        yield written
                case "built-in.setattr" | "built-in.delattr", [base, key, *rest]:
                    text, value = _text_of(key), rest[0] if rest else None
                    if (
                        self._patches(base, text, value)
                        if text
                        else (self.origins.of(base) or self._is_made_up(key))
                    ):
                        yield f"{written}({ast.unparse(base)}, …)"
                case "built-in.getattr" | "built-in.setattr" | "built-in.delattr", _:
                    yield written
                case "built-in.open" | "io.open" | "io.FileIO" | "codecs.open", [file, *_]:
                    if self._is_number(file):
                        yield f"{written}(…)"
                case "operator.attrgetter" | "operator.methodcaller", keys:
                    if not all(map(_text_of, keys)):
                        yield written
        match call.func:
            case ast.Attribute(attr="run" | "runctx") if (
                self.profiles and not functions and call not in self.shown
            ):
                yield written
            case ast.Attribute(value=base, attr=method):
                for name in self.origins.of(base):
                    reads = {"get", "keys"} | ({"items", "values"} if name != NAMESPACE else set())
                    if method not in reads and name.endswith((NAMESPACE, ".__dict__")):
                        yield written

    def _is_made_up(self, key: ast.AST) -> bool:
        """Whether the name of an attribute was put together, rather than listed or written down."""
        todo, seen = [key], {key}
        while todo and len(seen) < 200:
            following: Iterable[ast.AST] = ()
            match node := todo.pop():
                case ast.Name(id=name):
                    following = self.origins.flows.get(name, [])
                case ast.Attribute() | ast.Call(func=ast.Name(id="dir" | "vars")):
                    pass
                case ast.Call(func=function, args=some) if _name(function) in (
                    GIVING_BACK | CONTENTS
                ):
                    held = [function.value] if isinstance(function, ast.Attribute) else []
                    following = [*some, *held]
                case (
                    ast.JoinedStr(values=[ast.Constant(value=str(start)), *_])
                    | ast.BinOp(left=ast.Constant(value=str(start)), op=ast.Add())
                ) if start[:1].isalpha():
                    if any(name.startswith(start) for name in ATTRIBUTES | METHODS):
                        return True
                case ast.Call() | ast.JoinedStr() | ast.BinOp() | ast.Slice() | ast.comprehension():
                    return True
                case _:
                    following = ast.iter_child_nodes(node)
            following = [each for each in following if each not in seen]
            todo += following
            seen.update(following)
        return bool(todo)

    def _is_number(self, file: ast.expr) -> bool:
        """Whether a file is opened by the number of a descriptor instead of its name."""
        match file:
            case ast.Constant(value=value):
                return isinstance(value, int)
            case ast.UnaryOp() | ast.Call(func=ast.Name(id="int" | "min" | "max" | "range")):
                return True
            case ast.BinOp(left=left, right=right):
                return self._is_number(left) and self._is_number(right)
            case ast.Tuple(elts=some) | ast.List(elts=some) | ast.Set(elts=some):
                return any(_is_plain(each) and self._is_number(each) for each in some)
            case ast.Name(id=name):
                values = self.origins.flows.get(name, [])
                ends = (v for v in values if not isinstance(v, ast.Name | ast.BinOp))
                return any(map(self._is_number, ends))
        return isinstance(file, ast.Call) and _name(file.func) == "fileno"

    def _subscript(self, node: ast.Subscript) -> Iterator[str]:
        origins = self.origins.of(node.value)
        if isinstance(node.ctx, ast.Load):
            if NAMESPACE in origins and self._is_made_up(node.slice):
                yield f"{ast.unparse(node.value)}[…]"
            if any(map(_is_withheld, self.origins.of(node) - origins)):
                yield ast.unparse(node)
            return
        # The attributes of an object, as a dict.
        own = _name(node.value) in ("__dict__", "vars") and _text_of(node.slice) in METHODS
        if own or any(name.endswith((NAMESPACE, ".__dict__")) for name in origins):
            yield f"{ast.unparse(node.value)}[…] = …"

    def _class(self, node: ast.ClassDef) -> Iterator[str]:
        """Yield the code of a class that puts itself between the run and the things it uses."""
        foreign = any(map(self.origins.of, node.bases))
        if foreign and any(keyword.arg == "metaclass" for keyword in node.keywords):
            yield f"class {node.name}(metaclass=…)"
        for statement in node.body:
            match statement:
                case ast.FunctionDef(name=name, decorator_list=makers):
                    bad = name == "__getattr__"
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    bad, makers = name in DEFINED, [value]
                case _:
                    continue
            made = {_name(maker) for maker in makers}
            replaced = name in COMPONENTS and made & PROPERTIES
            if (foreign and (bad or replaced)) or name in DEFINED:
                yield f"{node.name}.{name}"


def _is_in(names: frozenset[str], full: str) -> bool:
    """Whether these hold something by its full name, or what it is part of."""
    parts = full.split(".")
    for length in range(len(parts), 0, -1):
        start = ".".join(parts[:length])
        if start in names or (length < len(parts) and f"{start}.*" in names):
            return True
        if start in OPEN:
            return False
    return False


def _is_withheld(full: str) -> bool:
    # A library of operators can be told to compute something else.
    operators = full.split(".")[1:2] == ["library"] and full.count(".") > 1
    return operators or _is_in(WITHHELD, full) or (_is_private(full) and not _is_in(OPEN, full))


def _is_private(full: str) -> bool:
    """Whether a full name is one that Python's own modules keep to themselves."""
    first, *rest = full.split(".")
    own = first in sys.stdlib_module_names and any(n[:1] == "_" != n[1:2] for n in rest)
    return own or first in PRIVATE


def _is_import_withheld(name: str) -> bool:
    last = name.rpartition(".")[2]
    return _is_withheld(_canonical(name)) or last in ATTRIBUTES or "course_probe" in name


def _imported(node: ast.AST) -> list[str]:
    """Full names of what a statement imports, if it is one that does."""
    match node:
        case ast.Import(names=aliases):
            return [alias.name for alias in aliases]
        case ast.ImportFrom(module=module, names=aliases):
            return [f"{module or ''}.{alias.name}".removesuffix(".*") for alias in aliases]
    return []


def _canonical(full: str) -> str:
    """Shorten a full name: `transformers.trainer.sys.modules` is `sys.modules`."""
    # The one has all that the other has, for what `dill` can pickle.
    parts = ["multiprocessing" if part == "multiprocess" else part for part in full.split(".")]
    doors = [i for i, part in enumerate(parts[1:], 1) if part in DOORS]
    return ".".join(parts[doors[-1] :] if doors else parts)


def _below(bases: Iterable[str], attribute: str) -> set[str]:
    longer = (_canonical(f"{base}.{attribute}") for base in bases if base != NAMESPACE)
    return {name for name in longer if name.count(".") < 9}


def _is_own(node: ast.expr) -> bool:
    """Whether this is how a method names its own object or class."""
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression is a number, a text or the like."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _name(node: ast.expr) -> str:
    """Return the last name of a called or named object: `b` for `a.b`, and for `a.b(c)`."""
    while isinstance(node, ast.Call):
        node = node.func
    return getattr(node, "attr", getattr(node, "id", ""))


def _text_of(node: ast.AST) -> str:
    """Return a text that stands in the script, also one that is added up of two."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.BinOp(left=ast.Constant(value=str(a)), right=ast.Constant(value=str(b))):
            return a + b
    return ""
