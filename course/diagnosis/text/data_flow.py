"""From a data set to the Trainer: what is loaded, tokenized, put in batches, and scored."""

import ast
import re
from collections.abc import Iterator

from course.base.i18n import N_
from course.diagnosis.text.script_text import Made, ScriptText, has_unpacking
from course.diagnosis.text.text_fault import TextFault
from course.exercise.patch import Splice
from course_probe.reading.script_text import last_part, named, root

A_METRIC = N_("A metric was loaded instead of a dataset")
NOT_TOKENIZED = N_("{name} contains texts that were not tokenized.")
NOT_PADDED = N_(
    "{call} does not pad, and the Trainer has no `data_collator` that pads. Texts of "
    "different lengths cannot form a batch."
)
NOT_ONE_ANSWER = N_("The metric is given logits instead of classes")
LABELS_LEFT_OUT = N_(
    "{task} has {labels} labels, but the model is loaded without `num_labels`, so the model has "
    "only two labels."
)
CHOSEN_ELSEWHERE = re.compile("preprocess_logits_for_metrics|predict_with_generate")
"""Names of scripts in which the metric is given answers, not rows of numbers."""
COLLATORS = {
    "ForSequenceClassification": "DataCollatorWithPadding({tokenizer})",
    "ForTokenClassification": "DataCollatorForTokenClassification({tokenizer})",
    "ForConditionalGeneration": "DataCollatorForSeq2Seq({tokenizer})",
    "ForSeq2SeqLM": "DataCollatorForSeq2Seq({tokenizer})",
}
"""What pads for a head; language models and answers are mostly cut into pieces of one length."""
LOADS = ("load_dataset", "evaluate.load")
GLUE = ("glue", "nyu-mll/glue")
TELLS_LABELS = {"num_labels", "id2label", "config", None}
"""Arguments of `from_pretrained` that may say how many labels there are."""
GLUE_LABELS = {"mnli": 3, "mnli_matched": 3, "mnli_mismatched": 3, "ax": 3}
"""Tasks of GLUE with other than two classes (https://huggingface.co/datasets/nyu-mll/glue)."""
TRAINERS = ("transformers.Trainer", "transformers.Seq2SeqTrainer")
TABLE_METHODS = frozenset(
    {"map", "filter", "train_test_split", "remove_columns", "rename_column", "set_format"}
    | {"with_format", "select", "shuffle", "column_names", "features", "cast_column"}
)
"""What data sets have and metrics do not."""


def why_not(script: ScriptText) -> str | None:
    """Why this can't be judged, a sentence to translate; None where it can."""
    names = {name for name, _call in script.calls()}
    known = (*TRAINERS, "evaluate.load", "datasets.load_dataset")
    return None if names & set(known) else N_("the script loads no dataset and makes no Trainer")


def find(script: ScriptText) -> Iterator[TextFault]:
    """Yield the faults in the flow of the data."""
    yield from _metric_as_data(script)
    yield from _labels(script)
    for name, trainer in script.calls():
        if name in TRAINERS and not has_unpacking(trainer):
            yield from _training_data(script, trainer)
            yield from _padding(script, trainer)
            yield from _answers(script, trainer)


def _metric_as_data(script: ScriptText) -> Iterator[TextFault]:
    for name, values in script.assigned.items():
        # `raw = raw.map(…)` goes on with the same data.
        made = [value for value in values if last_part(root(value)) != name]
        if len(made) != 1 or not _is_call(script, made[0], "evaluate.load"):
            continue
        used = next((node for node in ast.walk(script.tree) if _uses_as_table(node, name)), None)
        if used is not None:
            call = made[0]
            assert isinstance(call, ast.Call)
            start, end = script.span(call.func)
            known = script.imported.get("load_dataset") == "datasets.load_dataset"
            yield TextFault(
                "dataset-from-evaluate",
                call.lineno,
                A_METRIC,
                {"name": f"`{name}`"},
                edits=((start, end, "load_dataset"),),
                imports=() if known else ("from datasets import load_dataset",),
            )


def _uses_as_table(node: ast.AST, name: str) -> bool:
    """`name["train"]`, or one of a data set's methods."""
    inner = getattr(node, "value", None)
    if not (isinstance(inner, ast.Name) and inner.id == name):
        return False
    if isinstance(node, ast.Subscript):
        return True
    return isinstance(node, ast.Attribute) and node.attr in TABLE_METHODS


def _labels(script: ScriptText) -> Iterator[TextFault]:
    loads = (call for name, call in script.calls() if name.endswith(LOADS))
    tasks = {task for call in loads for task in _texts(call)[1:] if _texts(call)[0] in GLUE}
    tasks &= set(GLUE_LABELS)
    if len(tasks) != 1:
        return
    (task,) = tasks
    for name, call in script.calls():
        is_loaded = name.endswith("ForSequenceClassification.from_pretrained")
        given = {each.arg for each in call.keywords}
        if is_loaded and len(call.args) == 1 and not given & TELLS_LABELS:
            labels = GLUE_LABELS[task]
            yield TextFault(
                "target-out-of-bounds",
                call.lineno,
                LABELS_LEFT_OUT,
                {"task": f"`{task}`", "labels": str(labels)},
                edits=(_added(script, call, f"num_labels={labels}"),),
            )


def _texts(call: ast.Call) -> list[str]:
    """Return the texts among a call's arguments."""
    values = [each.value for each in call.args if isinstance(each, ast.Constant)]
    return [value for value in values if isinstance(value, str)]


def _training_data(script: ScriptText, trainer: ast.Call) -> Iterator[TextFault]:
    edits: list[Splice] = []
    first: ast.Name | None = None
    for argument in ("train_dataset", "eval_dataset"):
        value = named(trainer).get(argument)
        while isinstance(value, ast.Subscript):
            value = value.value
        loaded = script.value_of(value)
        if (
            not isinstance(value, ast.Name)
            or loaded is None
            or not _is_call(script, loaded, "datasets.load_dataset", "evaluate.load")
            or _is_changed(script, value.id)
        ):
            continue
        first = first or value
        mapped = [
            name
            for name, values in script.assigned.items()
            if len(values) == 1
            and last_part(root(values[0])) == value.id
            and ".map(" in ast.unparse(values[0])
        ]
        if len(mapped) == 1:
            edits.append((*script.span(value), mapped[0]))
    if first is not None:
        values = {"name": f"`{first.id}`"}
        yield TextFault(
            "missing-input-ids", first.lineno, NOT_TOKENIZED, values, edits=tuple(edits)
        )


def _padding(script: ScriptText, trainer: ast.Call) -> Iterator[TextFault]:
    given = {each.arg for each in trainer.keywords}
    # A Trainer that knows the tokenizer pads with it.
    if given & {"data_collator", "processing_class", "tokenizer"} or len(trainer.args) > 2:
        return
    tokenizers = {
        name
        for name, values in script.assigned.items()
        if any(_is_call(script, v, "AutoTokenizer.from_pretrained", end=True) for v in values)
    }
    calls = [
        call
        for _name, call in script.calls()
        if isinstance(call.func, ast.Name) and call.func.id in tokenizers
    ]
    heads = {end for name, _call in script.calls() for end in COLLATORS if f"{end}." in f"{name}."}
    if len(calls) != 1 or len(tokenizers) != 1 or has_unpacking(calls[0]) or len(heads) != 1:
        return
    padding = named(calls[0]).get("padding", ast.Constant(False))
    is_off = isinstance(padding, ast.Constant) and padding.value is False
    if is_off and not script.has_name(re.compile("pad", re.IGNORECASE)):
        (tokenizer,), (head,) = tokenizers, heads
        collator = COLLATORS[head].format(tokenizer=tokenizer)
        kind = collator.partition("(")[0]
        yield TextFault(
            "length-mismatch",
            calls[0].lineno,
            NOT_PADDED,
            {"call": f"`{tokenizer}(…)`"},
            certain=False,
            edits=(_added(script, trainer, f"data_collator={collator}"),),
            imports=() if kind in script.imported else (f"from transformers import {kind}",),
        )


def _answers(script: ScriptText, trainer: ast.Call) -> Iterator[TextFault]:
    given = named(trainer).get("compute_metrics")
    if given is None or script.has_name(CHOSEN_ELSEWHERE):
        return
    for function in script.functions(ast.unparse(given)):
        first = next(iter(function.args.args), None)
        inside = [m for m in script.made if function in script.around(m.value)]
        for name, call in script.calls(function) if first is not None else ():
            passed = named(call).get("predictions")
            if passed is None or not name.endswith(".compute"):
                continue
            made = [each for each in inside if each.name == ast.unparse(passed)]
            if first is not None and len(made) == 1 and _is_raw(made[0], first.arg):
                # A regression has one number for each example, and needs no choice.
                code = f"{made[0].name} = np.argmax({made[0].name}, axis=-1)"
                known = script.imported.get("np") == "numpy"
                yield TextFault(
                    "size-1-array",
                    passed.lineno,
                    NOT_ONE_ANSWER,
                    {"name": f"`{made[0].name}`"},
                    certain=False,
                    edits=script.behind(script.statement_of(made[0].value), code),
                    imports=() if known else ("import numpy as np",),
                )


def _is_raw(made: Made, given: str) -> bool:
    """Whether these are the model's outputs: of `logits, labels = given`, or its `predictions`."""
    # Some models give several outputs, of which the first is the answer.
    value = made.value.orelse if isinstance(made.value, ast.IfExp) else made.value
    whole = f"{given}.predictions" if made.place is None else given
    return made.place in (None, 0) and ast.unparse(value) == whole


def _is_call(script: ScriptText, node: ast.expr, *names: str, end: bool = False) -> bool:
    if not isinstance(node, ast.Call):
        return False
    found = script.qualified(node.func)
    return any(found.endswith(name) if end else found == name for name in names)


def _is_changed(script: ScriptText, name: str) -> bool:
    """Whether a data set is changed in place, or other code is given it: `raw["train"] = …`."""
    stored = (
        node
        for node in ast.walk(script.tree)
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store)
    )
    called = (called for called, _call in script.calls())
    return (
        any(last_part(root(node)) == name for node in stored) or f"{name}.set_transform" in called
    )


def _added(script: ScriptText, call: ast.Call, argument: str) -> Splice:
    """Make the edit that adds an argument to a call, as its last."""
    given = sorted(end for _start, end in script.argument_spans(call))
    _start, end = script.span(call)
    if not given:
        return (end - 1, end - 1, argument)
    behind = script.text[given[-1] : end - 1]
    if "\n" in behind:
        # One argument a line: so is the new one, indented as the last.
        line = script.text.rfind("\n", 0, given[-1]) + 1
        text = script.text[line : given[-1]]
        indent = text[: len(text) - len(text.lstrip())]
        return (given[-1], given[-1], f",\n{indent}{argument}")
    return (given[-1], given[-1], f", {argument}")
