"""What a script uses that the installed libraries have renamed or dropped.

`lessons/reading/drift.toml` lists what tutorials use and what took its place. Whether it is gone is
read from the installed libraries: the same script is right with one version and wrong with another.
"""

import ast
import fnmatch
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from course.base import paths, schema
from course.base.i18n import N_
from course.base.schema import nearest
from course.diagnosis.text import installed, rewritten
from course.diagnosis.text.script_text import ScriptText, has_unpacking
from course.diagnosis.text.text_fault import TextFault
from course.diagnosis.text.words import FOLDER
from course.exercise.patch import Splice

FORMAT = 1
GONE = N_("{library} {version} has no {name} any more; use {new} instead.")
GONE_FOR_GOOD = N_("{library} {version} has no {name} any more, and no replacement.")
NO_ARGUMENT = N_("{call} of {library} {version} does not accept {name}; use {new} instead.")
NO_ARGUMENT_AT_ALL = N_("{call} of {library} {version} accepts neither {name} nor a similar name.")
NOT_TAKEN = N_("{library} {version} calls {name} with {new}, but your {name} does not accept it.")
LAZY = N_("The tokenizer is given a lazy column instead of a list of texts")
ROUGE = ("evaluate.load", "datasets.load_metric", "load_metric")
"""What loads the metric whose scores had parts."""
TAKES_ALIKE = ("transformers.Seq2SeqTrainingArguments", "transformers.Seq2SeqTrainer")
"""Take what the class of the name without `Seq2Seq` takes, and more."""


@dataclass(frozen=True)
class OldName:
    """A name that a library had, in its `file`; `*` stands for any end of it.

    What is `new` takes its place under the old name, unless the `uses` are written anew: those of a
    clone of a repository, or those of a class whose methods are `functions` today.
    """

    old: str
    file: str
    new: str = ""
    uses: Literal["", "repository", "functions"] = ""
    functions: dict[str, str] = field(default_factory=dict)

    @property
    def library(self) -> str:
        """The library that had it."""
        return self.old.partition(".")[0]


@dataclass(frozen=True)
class OldMethod:
    """A method that objects of a library had, written in its `file`, and an argument of today."""

    old: str
    library: str
    file: str
    new: str = ""


@dataclass(frozen=True)
class OldArgument:
    """An argument that a `call` took, and its name of today.

    `value` is what the new one is given where the old one was `True`.
    """

    call: str
    old: str
    new: str = ""
    value: str = ""


@dataclass(frozen=True)
class OldValue:
    """A text that an `argument` of a `call`, of any without it, could be; `*` stands for any end.

    While it is accepted it stands in `holder` in the library's `file`.
    """

    argument: str
    old: str
    library: str
    file: str
    holder: str
    call: str = ""
    new: str = ""


@dataclass(frozen=True)
class OldOverride:
    """An `argument` that a method is called with today; subclasses `of` a class override it."""

    of: str
    method: str
    argument: str


@dataclass(frozen=True)
class Drift:
    """All that is listed."""

    name: tuple[OldName, ...]
    method: tuple[OldMethod, ...]
    argument: tuple[OldArgument, ...]
    value: tuple[OldValue, ...]
    override: tuple[OldOverride, ...]


@cache
def listed() -> Drift:
    """Read the list of renamed and dropped names.

    Raises:
        ContentError: it breaks the format; says where.

    """
    return schema.read(Drift, paths.lessons() / FOLDER / "drift.toml", FORMAT)


def find(script: ScriptText) -> Iterator[TextFault]:
    """Yield the uses of names in the script that the installed libraries have no more."""
    yield from _imports(script)
    yield from _attributes(script)
    yield from _overrides(script)
    yield from _scores(script)
    if _is_there("datasets", "arrow_dataset.py", "Column"):
        for column in rewritten.columns(script):
            end = script.span(column)[1]
            values = _values("datasets", script.code(column))
            yield TextFault("lazy-column", column.lineno, LAZY, values, edits=((end, end, "[:]"),))
    for name, call in script.calls():
        yield from _arguments(script, name, call)
        yield from _texts(script, name, call)


def _imports(script: ScriptText) -> Iterator[TextFault]:
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
            continue
        for alias in node.names:
            old = _gone(f"{node.module.partition('.')[0]}.{alias.name}")
            if old is not None:
                edits, imports = _other_import(script, node, alias, old)
                values = _values(old.library, alias.name, old.new)
                told = ("removed-import", node.lineno, _told(values), values)
                yield TextFault(*told, edits=edits, imports=imports)


def _attributes(script: ScriptText) -> Iterator[TextFault]:
    methods = {each.old: each for each in listed().method}
    own = {node.name for node in ast.walk(script.tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.Attribute):
            continue
        name = script.qualified(node)
        # `import transformers as t; t.AdamW`: an import by its own name is told at the import.
        old = _gone(name) if isinstance(node.value, ast.Name) else None
        if old is not None and node.attr not in script.imported:
            values = _values(old.library, node.attr, old.new)
            yield TextFault("removed-import", node.lineno, _told(values), values)
        method = methods.get(node.attr)
        if (
            method
            and node.attr not in own
            and installed.version(method.library) is not None
            and not _is_there(method.library, method.file, node.attr)
        ):
            edits = rewritten.targets(script, node) if method.new == "text_target" else ()
            values = _values(method.library, node.attr, method.new)
            yield TextFault("attribute-missing", node.lineno, _told(values), values, edits=edits)


def _scores(script: ScriptText) -> Iterator[TextFault]:
    """Yield what was asked of a ROUGE score while `datasets` had it: today it is a number."""
    loaded = [ast.unparse(call) for name, call in script.calls() if name in ROUGE]
    is_new = installed.version("evaluate") is not None and _gone("datasets.load_metric") is not None
    if not is_new or not any("'rouge'" in call for call in loaded):
        return
    for node, score in rewritten.aggregated(script):
        edits = ((*script.span(node), score),) if score else ()
        values = _values("evaluate", script.code(node), score)
        yield TextFault("attribute-missing", node.lineno, _told(values), values, edits=edits)


def _texts(script: ScriptText, name: str, call: ast.Call) -> Iterator[TextFault]:
    """Yield the texts among the arguments of a call that the library accepts no more."""
    last = name.rpartition(".")[2]
    for each in listed().value:
        has_library = any(full.startswith(each.library) for full in script.imported.values())
        # What a tokenizer is loaded with is kept, not used.
        if not has_library or last == "from_pretrained" or each.call not in ("", _public(name)):
            continue
        given = [k.value for k in call.keywords if k.arg == each.argument]
        node = next(iter([*given, *(call.args[:1] if each.call else [])]), None)
        is_old = isinstance(node, ast.Constant) and fnmatch.fnmatchcase(str(node.value), each.old)
        if node is None or not is_old or installed.version(each.library) is None:
            continue
        accepted = installed.texts(each.library, each.file, each.holder)
        if not fnmatch.filter(accepted, each.old):
            text = script.code(node)
            shown = f"{last}({text})" if each.call else f"{each.argument}={text}"
            values = _values(each.library, shown, each.new)
            yield TextFault("removed-import", node.lineno, _told(values), values)


def _overrides(script: ScriptText) -> Iterator[TextFault]:
    """Methods of subclasses that are written as an older version of the class had them."""
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.ClassDef):
            continue
        bases = {_alike(_public(script.qualified(base))) for base in node.bases}
        methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef) and m.args.args}
        for each in listed().override:
            own = methods.get(each.method)
            taken = installed.method_parameters(each.of, each.method) or ()
            if each.of not in bases or own is None or each.argument not in taken:
                continue
            given = own.args
            names = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
            if each.argument in names or given.kwarg or given.vararg or given.kwonlyargs:
                continue
            last = (given.defaults or given.args)[-1]
            _start, end = script.span(last)
            values = _values(each.of.partition(".")[0], each.method, each.argument)
            edits = ((end, end, f", {each.argument}=None"),)
            yield TextFault(
                "override-with-old-signature", own.lineno, NOT_TAKEN, values, edits=edits
            )


def _arguments(script: ScriptText, name: str, call: ast.Call) -> Iterator[TextFault]:
    name = _public(name)
    taken = installed.parameters(name)
    if taken is None:
        return
    library = name.partition(".")[0]
    for each in call.keywords:
        if each.arg is None or each.arg in taken:
            continue
        old = next(
            (a for a in listed().argument if a.old == each.arg and a.call == _alike(name)), None
        )
        near = old.new if old else nearest(each.arg, taken)
        values = _values(library, each.arg, near) | {"call": f"`{name.rpartition('.')[2]}`"}
        if old is not None and old.new in taken:
            given = {other.arg for other in call.keywords}
            edits = _renamed(script, each, old) if old.new not in given else ()
            yield TextFault("renamed-argument", each.value.lineno, NO_ARGUMENT, values, edits=edits)
        elif old is not None or not near:
            edits = (script.without(call, each),) if old and not has_unpacking(call) else ()
            yield TextFault(
                "renamed-argument", each.value.lineno, NO_ARGUMENT_AT_ALL, values, edits=edits
            )
        else:
            yield TextFault("renamed-argument", each.value.lineno, NO_ARGUMENT, values)


def _renamed(script: ScriptText, argument: ast.keyword, old: OldArgument) -> tuple[Splice, ...]:
    """Make the edit that gives an argument its name of today; none for a switch that is off."""
    start, end = script.span(argument)
    if not old.value:
        return ((start, start + len(old.old), old.new),)
    is_on = isinstance(argument.value, ast.Constant) and argument.value.value is True
    return ((start, end, f'{old.new}="{old.value}"'),) if is_on else ()


def _public(name: str) -> str:
    """`transformers.training_args.TrainingArguments` as it is documented, without its module."""
    first, _dot, rest = name.partition(".")
    last = rest.rpartition(".")[2]
    return f"{first}.{last}" if first == "transformers" and rest else name


def _alike(name: str) -> str:
    return name.replace("Seq2Seq", "") if name in TAKES_ALIKE else name


def _gone(name: str) -> OldName | None:
    """Find the entry of a name that the installed library does not have; None for all others."""
    for each in listed().name:
        # Of `TFAutoModel.from_pretrained` the class is gone, which is told where it is imported.
        is_it = name.count(".") == each.old.count(".") and fnmatch.fnmatchcase(name, each.old)
        if is_it and installed.version(each.library) is not None:
            last = name.rpartition(".")[2]
            wanted = None if "*" in each.old else last
            return None if _is_there(each.library, each.file, wanted) else each
    return None


def _is_there(library: str, file: str, name: str | None) -> bool:
    """Whether a library's file defines a name, or is there at all where no name is asked for."""
    defined = installed.defined(library, file)
    return bool(defined) if name is None else name in defined


def _told(values: dict[str, str]) -> str:
    """Choose the sentence for a name that is gone: with what took its place, if there is any."""
    return GONE if values["new"].strip("`") else GONE_FOR_GOOD


def _values(library: str, name: str, new: str = "") -> dict[str, str]:
    return {
        "library": library,
        "version": installed.version(library) or "",
        "name": f"`{name}`",
        "new": f"`{new}`",
    }


def _other_import(
    script: ScriptText, node: ast.ImportFrom, alias: ast.alias, old: OldName
) -> tuple[tuple[Splice, ...], tuple[str, ...]]:
    """Make the edits that import a name from its place today, under the name the script uses."""
    if not old.new:
        return (), ()
    bound = alias.asname or alias.name
    if old.uses:
        anew = (
            rewritten.repository(script, bound)
            if old.uses == "repository"
            else rewritten.functions(script, bound, old.functions)
        )
        if anew is None:
            return (), ()
        names = ", ".join(name for name in anew[1] if name not in {a.name for a in node.names})
        own = (*script.span(alias), names) if names else _without_alias(script, node, alias)
        return (own, *anew[0]), ()
    module, _dot, name = old.new.rpartition(".")
    line = f"from {module} import {name}" + (f" as {bound}" if bound != name else "")
    if len(node.names) == 1:
        start, end = script.span(node)
        return ((start, end, line),), ()
    return (_without_alias(script, node, alias),), (line,)


def _without_alias(script: ScriptText, node: ast.ImportFrom, alias: ast.alias) -> Splice:
    """Make the edit that takes one of several names out of an import, with its comma."""
    names = node.names
    at = names.index(alias)
    if at + 1 < len(names):
        return (script.span(alias)[0], script.span(names[at + 1])[0], "")
    return (script.span(names[at - 1])[1], script.span(alias)[1], "")
