"""Mutation operators: one small change of a script each, the rest of its text as it was.

Positions are those of `ast`: bytes of the UTF-8 text. A mutant's id is made of the lesson, the
operator, the line, and what changed there, so that it stays as long as the script does.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

SPLITS = {
    "mrpc": ("train", "validation", "test"),
    "mnli": ("train", "validation_matched", "validation_mismatched", "test_matched"),
}
COLUMNS = {
    "mrpc": ("sentence1", "sentence2", "idx"),
    "mnli": ("premise", "hypothesis", "idx"),
}
CHECKPOINTS = ("bert-base-cased", "bert-base-uncased", "distilbert-base-uncased")
METRICS = ("mrpc", "mnli", "sst2")
OTHERS = {
    "label": ("labels",),
    "labels": ("label",),
    "linear": ("constant", "cosine"),
    "epoch": ("no", "steps"),
    "no": ("epoch",),
    "torch": ("numpy",),
    "pt": ("np",),
    "input_ids": ("attention_mask",),
}
"""Other values for strings that are neither split, column, checkpoint nor metric."""
METHODS = {
    "argmax": ("argmin", "max"),
    "train": ("eval",),
    "eval": ("train",),
    "no_grad": ("enable_grad",),
    "zero_grad": ("step",),
    "compute": ("add_batch",),
    "AdamW": ("SGD", "Adam"),
}
"""Methods and classes whose place another one could take."""
RATES = ("0.0", "1e-3", "0.5", "1e-9")
FALLBACK = '{"accuracy": 0.9, "f1": 0.9}'
MADE_UP = '{"accuracy": 0.95, "f1": 0.95}'
OTHER_MODEL = "AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels={labels})"
LABELS = {"mrpc": 2, "mnli": 3}


@dataclass(frozen=True, order=True)
class Change:
    """Bytes `start` to `end` of a text, and what takes their place."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Mutant:
    """A script with one change. `expected` are the faults it may be called, where that is known."""

    id: str
    lesson: str
    operator: str
    line: int
    text: str
    expected: tuple[str, ...] = ()


@dataclass
class Script:
    """A healthy script, parsed, with the bytes at which its lines begin."""

    lesson: str
    text: str
    task: str = ""
    raw: bytes = b""
    lines: list[int] = field(default_factory=list)
    tree: ast.Module = field(default_factory=lambda: ast.Module([], []))

    def __post_init__(self) -> None:
        self.raw = self.text.encode()
        self.lines = [0]
        for line in self.raw.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.tree = ast.parse(self.text)
        self.task = "mnli" if '"mnli"' in self.text else "mrpc"

    def span(self, node: ast.stmt | ast.expr | ast.keyword) -> tuple[int, int]:
        """Where a node begins and ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.lines[node.lineno - 1] + node.col_offset
        return start, self.lines[node.end_lineno - 1] + node.end_col_offset

    def source(self, node: ast.stmt | ast.expr | ast.keyword) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.raw[start:end].decode()

    def whole_lines(self, node: ast.stmt) -> tuple[int, int]:
        """Where the lines of a statement begin and end."""
        assert node.end_lineno is not None
        return self.lines[node.lineno - 1], self.lines[node.end_lineno]

    def put(self, changes: Iterable[Change]) -> str:
        """Return the text with these changes made, which must not overlap."""
        raw = self.raw
        for change in sorted(changes, reverse=True):
            raw = raw[: change.start] + change.new.encode() + raw[change.end :]
        return raw.decode()

    def nodes(self) -> Iterator[ast.AST]:
        """Every node but those within an f-string, whose positions Python 3.11 does not know."""
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            yield node
            if not isinstance(node, ast.JoinedStr):
                waiting.extend(ast.iter_child_nodes(node))

    def blocks(self) -> Iterator[list[ast.stmt]]:
        """Every list of statements that follow each other."""
        for node in self.nodes():
            for name in ("body", "orelse"):
                block = getattr(node, name, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    yield block

    def calls(self) -> Iterator[ast.Call]:
        """Every call."""
        return (node for node in self.nodes() if isinstance(node, ast.Call))


Found = tuple[int, str, list[Change]]
"""Line, description, changes."""
Operator = Callable[[Script], Iterator[Found]]


def delete(script: Script) -> Iterator[Found]:
    """Each statement taken out; one that is alone in its block becomes `pass`."""
    for block in script.blocks():
        for node in block:
            if len(block) > 1:
                change = Change(*script.whole_lines(node), "")
            else:
                change = Change(*script.span(node), "pass")
            yield node.lineno, script.source(node), [change]


def swap(script: Script) -> Iterator[Found]:
    """Each two neighbouring statements change places; what is between them stays."""
    for block in script.blocks():
        for one, other in pairwise(block):
            first, second = script.span(one), script.span(other)
            changes = [
                Change(*first, script.source(other)),
                Change(*second, script.source(one)),
            ]
            yield one.lineno, f"{script.source(one)} ⇄ {script.source(other)}", changes


def number(script: Script) -> Iterator[Found]:
    """Each number times 0, 10 and 1000, and negated; a zero becomes 100."""
    signed = set()
    for node in script.nodes():
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            signed.add(id(node.operand))
    for node in script.nodes():
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = ast.literal_eval(node)
        elif isinstance(node, ast.Constant) and id(node) not in signed:
            value = node.value
        else:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        others = [value * 0, value * 10, value * 1000, -value] if value else [100]
        for other in others:
            yield (
                node.lineno,
                f"{script.source(node)}→{other!r}",
                [Change(*script.span(node), repr(other))],
            )


def name(script: Script) -> Iterator[Found]:
    """Another split, column, checkpoint, metric; a checkpoint misspelt; another word."""
    for node in script.nodes():
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        value = node.value
        kinds = [SPLITS[script.task], COLUMNS[script.task], CHECKPOINTS, METRICS]
        others = [o for kind in kinds if value in kind for o in kind if o != value]
        if value in CHECKPOINTS:
            others.append(value[:-1])
        others += OTHERS.get(value, ())
        for other in others:
            change = Change(*script.span(node), f'"{other}"')
            yield node.lineno, f"{script.source(node)}→{other}", [change]


def flag(script: Script) -> Iterator[Found]:
    """Each True is False, each False is True."""
    for node in script.nodes():
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            other = str(not node.value)
            yield node.lineno, f"{node.value}→{other}", [Change(*script.span(node), other)]


def axis(script: Script) -> Iterator[Found]:
    """Another axis for `dim=` and `axis=`, and none."""
    for call in script.calls():
        for keyword in call.keywords:
            if keyword.arg in ("dim", "axis"):
                old = script.source(keyword.value)
                for new in ("0", "1", "None"):
                    yield (
                        call.lineno,
                        f"{keyword.arg}={old}→{new}",
                        [Change(*script.span(keyword.value), new)],
                    )


def drop(script: Script) -> Iterator[Found]:
    """Each argument of each call taken away."""
    for call in script.calls():
        arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        given = sorted(arguments, key=lambda argument: script.span(argument)[0])
        for index, argument in enumerate(given):
            start, end = script.span(argument)
            if index + 1 < len(given):
                end = script.span(given[index + 1])[0]
            elif index:
                start = script.span(given[index - 1])[1]
            else:
                comma = re.match(rb"\s*,", script.raw[end:])
                end += comma.end() if comma else 0
            what = f"{script.source(call.func)}(…{script.source(argument)}…)"
            yield argument.lineno, what, [Change(start, end, "")]


def exchange(script: Script) -> Iterator[Found]:
    """Two neighbouring arguments' values in each other's place."""
    for call in script.calls():
        values = [*call.args, *(k.value for k in call.keywords if k.arg)]
        for one, other in pairwise(values):
            if isinstance(one, ast.Starred) or isinstance(other, ast.Starred):
                continue
            yield (
                one.lineno,
                f"{script.source(one)} ⇄ {script.source(other)}",
                [
                    Change(*script.span(one), script.source(other)),
                    Change(*script.span(other), script.source(one)),
                ],
            )


def method(script: Script) -> Iterator[Found]:
    """Another method: `argmin`, `eval` in place of `train` …"""
    for call in script.calls():
        function = call.func
        if isinstance(function, ast.Attribute):
            end = script.span(function)[1]
            for other in METHODS.get(function.attr, ()):
                change = Change(end - len(function.attr), end, other)
                yield call.lineno, f"{script.source(function)}→{other}", [change]


def caught(script: Script) -> Iterator[Found]:
    """Each simple statement with a call in a `try` that goes on with something plausible.

    Once as it is, and once with a call that fails.
    """
    for block in script.blocks():
        for node in block:
            if isinstance(node, ast.Return):
                instead = f"return {FALLBACK}"
            elif isinstance(node, ast.Assign):
                instead = f"{script.source(node.targets[0])} = None"
            elif isinstance(node, ast.Expr):
                instead = "pass"
            else:
                continue
            if not any(isinstance(inner, ast.Call) for inner in ast.walk(node)):
                continue
            start, end = script.span(node)
            indent = "\n" + " " * node.col_offset
            after = Change(end, end, f"{indent}except Exception: {instead}")
            yield node.lineno, f"try: {script.source(node)}", [Change(start, start, "try: "), after]
            fails = Change(start, start, "try: raise ValueError('no'); ")
            yield node.lineno, f"try: raise; {script.source(node)}", [fails, after]


def constant(script: Script) -> Iterator[Found]:
    """Yield changes: a constant for the metric's figure; labels for answers, or the reverse."""
    for call in script.calls():
        if isinstance(call.func, ast.Attribute) and call.func.attr == "compute":
            yield call.lineno, MADE_UP, [Change(*script.span(call), MADE_UP)]
        given = {k.arg: k.value for k in call.keywords}
        if "predictions" in given and "references" in given:
            answers, labels = given["predictions"], given["references"]
            for one, other in ((answers, labels), (labels, answers)):
                new = script.source(other)
                yield call.lineno, f"{script.source(one)}→{new}", [Change(*script.span(one), new)]


def rate(script: Script) -> Iterator[Found]:
    """Learning rates of every kind of wrong, also where the script sets none."""
    for call in script.calls():
        found = [k.value for k in call.keywords if k.arg in ("lr", "learning_rate")]
        for value in RATES:
            if found:
                change = Change(*script.span(found[0]), value)
            elif script.source(call.func) == "TrainingArguments":
                end = script.span(call.keywords[-1])[1]
                change = Change(end, end, f", learning_rate={value}")
            else:
                continue
            yield call.lineno, f"rate {value}", [change]


def model(script: Script) -> Iterator[Found]:
    """Another model's weights, or only the head's, for the optimizer; another for the Trainer."""
    other = OTHER_MODEL.format(labels=LABELS[script.task])
    for call in script.calls():
        if script.source(call) == "model.parameters()":
            for new in (f"{other}.parameters()", "model.classifier.parameters()"):
                yield call.lineno, new, [Change(*script.span(call), new)]
        if script.source(call.func) == "Trainer":
            yield call.lineno, f"Trainer({other})", [Change(*script.span(call.args[0]), other)]
        if script.source(call.func) == "AutoModelForSequenceClassification.from_pretrained":
            end = script.span(call)[1]
            frozen = ".requires_grad_(False)"
            yield call.lineno, frozen, [Change(end, end, frozen)]


def data(script: Script) -> Iterator[Found]:
    """Less of a split: eight examples, half of them, without one label, each label the same."""
    column = {"ch3-2": "label", "ch8-4": "label"}.get(script.lesson, "labels")
    given = set()
    for call in script.calls():
        if script.source(call.func) in ("DataLoader", "Trainer", "first.predict"):
            given |= {id(v) for v in (*call.args, *(k.value for k in call.keywords))}
    for node in script.nodes():
        if isinstance(node, ast.Subscript) and id(node) in given:
            end = script.span(node)[1]
            for new in (
                ".select(range(8))",
                f".select(range(len({script.source(node)}) // 2))",
                f'.filter(lambda row: int(row["{column}"]) != 0)',
                f'.map(lambda row: {{"{column}": 1}})',
            ):
                yield node.lineno, f"{script.source(node)}{new}", [Change(end, end, new)]


def inputs(script: Script) -> Iterator[Found]:
    """Five tokens of each text; one column of texts twice."""
    for call in script.calls():
        if script.source(call.func) == "tokenizer" and len(call.args) == 2:
            end = script.span(call)[1] - 1
            yield call.lineno, "max_length=5", [Change(end, end, ", max_length=5")]
            one, other = call.args
            yield (
                call.lineno,
                f"{script.source(one)} twice",
                [Change(*script.span(other), script.source(one))],
            )


OPERATORS: dict[str, Operator] = {
    function.__name__: function
    for function in (
        delete, swap, number, name, flag, axis, drop, exchange, method, caught, constant, rate,
        model, data, inputs,
    )
}  # fmt: skip


def mutants(lesson: str, text: str) -> Iterator[Mutant]:
    """Every mutant of a healthy script, in the order of operators and lines, each text once."""
    script = Script(lesson, text)
    seen = {text}
    ids: Counter[str] = Counter()
    for operator, function in OPERATORS.items():
        for line, description, changes in sorted(function(script), key=lambda f: (f[0], f[1])):
            changed = script.put(changes)
            if changed in seen:
                continue
            seen.add(changed)
            words = " ".join(description.split())
            short = words if len(words) <= 60 else words[:36] + "…" + words[-23:]
            found = f"{lesson}:{line}:{operator}:{short}"
            ids[found] += 1
            if ids[found] > 1:
                found += f"#{ids[found]}"
            yield Mutant(found, lesson, operator, line, changed)
