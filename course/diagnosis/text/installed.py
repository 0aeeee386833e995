"""What is installed, read from the libraries' own files: none of them is imported."""

import ast
import contextlib
import importlib.metadata
import importlib.util
from collections.abc import Iterator
from contextvars import ContextVar
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from course.diagnosis.text.words import words

Site = tuple[str, ...]
"""The folders of an environment's packages; empty for the environment that we run in."""

_SITE: ContextVar[Site] = ContextVar("site", default=())


@contextlib.contextmanager
def within(site: Site) -> Iterator[None]:
    """Have what is asked meanwhile be of another environment."""
    token = _SITE.set(site)
    try:
        yield
    finally:
        _SITE.reset(token)


def version(library: str) -> str | None:
    """Return the version of a library; None where it is not installed."""
    return _version(library, _SITE.get())


@cache
def _version(library: str, site: Site) -> str | None:
    try:
        if not site:
            return importlib.metadata.version(library)
        named = importlib.metadata.distributions(name=library, path=list(site))
        return next((each.version for each in named), None)
    except importlib.metadata.PackageNotFoundError:
        return None


def parameters(name: str) -> tuple[str, ...] | None:
    """Return the names of the arguments that a class or function takes.

    None where it is not known here, is not installed, or takes any (`**kwargs`).
    """
    return _parameters(name, _SITE.get())


@cache
def _parameters(name: str, site: Site) -> tuple[str, ...] | None:
    node = _written(name, site)
    if isinstance(node, ast.FunctionDef):
        return _of_function(node)
    return _of_class(node) if node is not None else None


def method_parameters(name: str, method: str) -> tuple[str, ...] | None:
    """Return the names of the arguments that a method of a class takes; None where unknown."""
    node = _written(name, _SITE.get())
    found = [n for n in node.body if _is_named(n, method)] if node is not None else []
    return _of_function(found[0]) if found and isinstance(found[0], ast.FunctionDef) else None


def defined(library: str, file: str) -> frozenset[str]:
    """Return the names of classes, functions (methods too) and values that a file defines.

    None of them where the library is not installed, or has no such file.
    """
    return _defined(f"{library}/{file}", _SITE.get())


@cache
def _defined(file: str, site: Site) -> frozenset[str]:
    nodes = list(ast.walk(_tree(file, site)))
    named = {n.name for n in nodes if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    targets = [t for node in nodes if isinstance(node, ast.Assign) for t in node.targets]
    return frozenset(named | {t.id for t in targets if isinstance(t, ast.Name)})


def texts(library: str, file: str, holder: str) -> frozenset[str]:
    """Return the texts in what a library's file defines as `holder`; none where it does not."""
    return _texts(f"{library}/{file}", holder, _SITE.get())


@cache
def _texts(file: str, holder: str, site: Site) -> frozenset[str]:
    holders = [
        node
        for node in _tree(file, site).body
        if _is_named(node, holder)
        or (isinstance(node, ast.Assign) and holder in map(ast.unparse, node.targets))
    ]
    nodes = [inner for node in holders for inner in ast.walk(node)]
    return frozenset(str(node.value) for node in nodes if isinstance(node, ast.Constant))


def _written(name: str, site: Site) -> ast.ClassDef | ast.FunctionDef | None:
    """Find the class or function of this full name, if the file that defines it is known.

    A function that is a method of one object is in a class: `hf_api.py:HfApi`.
    """
    file, _colon, inside = words().sources.get(name, "").partition(":")
    body = _tree(file, site).body if file else []
    if inside:
        holders = [each for each in body if isinstance(each, ast.ClassDef) and each.name == inside]
        body = [each for holder in holders for each in holder.body]
    found = (node for node in body if _is_named(node, name.rpartition(".")[2]))
    node = next(found, None)
    return node if isinstance(node, ast.ClassDef | ast.FunctionDef) else None


def _is_named(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name


@cache
def _tree(file: str, site: Site) -> ast.Module:
    """Parse a library's file; return an empty module where it can't be read."""
    path = _file(file, site)
    try:
        return ast.parse(path.read_text("utf-8") if path is not None else "")
    except (OSError, ValueError, SyntaxError):
        return ast.Module([], [])


def _file(inner: str, site: Site) -> Path | None:
    top, _slash, rest = inner.partition("/")
    try:
        spec = PathFinder.find_spec(top, list(site)) if site else importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / rest


def _of_class(node: ast.ClassDef) -> tuple[str, ...] | None:
    """Those of `__init__`, or the fields of a dataclass and of the one that it inherits from."""
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
            return _of_function(inner)
    fields = [
        inner.target.id
        for inner in node.body
        if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name)
    ]
    for base in node.bases:
        inherited = parameters(f"transformers.{ast.unparse(base)}")
        if inherited is not None:
            fields = [*inherited, *fields]
        elif not (isinstance(base, ast.Name) and base.id.endswith(("Mixin", "object"))):
            return None
    return tuple(fields) or None


def _of_function(node: ast.FunctionDef) -> tuple[str, ...] | None:
    if node.args.kwarg is not None:
        return None
    names = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    # `@deprecate_kwarg("tokenizer", …)`: an old name that is still taken, with a warning.
    old = [
        each.value
        for mark in node.decorator_list
        if isinstance(mark, ast.Call)
        for each in mark.args
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    return (*(each.arg for each in names if each.arg != "self"), *old)
