"""Further facts of the moment of an exception: what tells faults apart that share one message.

Where `crash_state` describes what a failing call was given, this looks for what brought it about: a
state that is carried from step to step, a collate function's column, a half of a model. Like there,
only what is kept in frames and objects is read, and what could not be found is not there.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, TypeGuard

from course_probe.packages import LABELS, QUANTIZING
from course_probe.reading.script_text import parsed

CrashFact = tuple[str, float | str]

EVALUATING = frozenset({"evaluate", "evaluation_loop", "prediction_loop", "predict"})
"""Methods of a Trainer that evaluate."""
ENGINE = "_engine_run_backward"
"""The function by which PyTorch goes backward: what it was given is a graph, no layer or loss."""
TOKENIZERS = ("tokenizer*", "vocab*", "spiece*", "*.model", "merges.txt")
"""Files of a tokenizer."""
OLDER = frozenset({"tf_keras", "transformers"})
"""Packages that work with the Keras before version 3."""
POSITIONS = {"start_positions", "end_positions"}
"""Labels of questions that a text answers."""
INPUTS = frozenset(
    {"input_ids", "attention_mask", "token_type_ids", "position_ids", "pixel_values"}
    | {"special_tokens_mask", "offset_mapping", "length", "idx", "id", "__index_level_0__"}
)
"""Columns that are no labels, by their usual names."""
TEXT = ("string", "large_string")
"""Types of columns of text."""
VALUES = 500
"""Values of a frame that are looked at."""
SLICING = "tensorflow.python.data.ops.from_tensor_slices_op"
"""The module that makes a dataset of whole arrays."""
PAIR = 2
"""Texts that may be given as one."""
MODULES = 5000
"""Parts of a model that are looked at."""


def find(frames: list[FrameType], own: FrameType | None) -> Iterator[CrashFact]:
    """Yield the facts in a traceback's frames, innermost first; `own` is the learner's own."""
    if own is not None and _is_along_rows(own):
        yield "answers.wrong_axis", 1
    yield from _passed(frames)
    for frame in frames:
        module, function = _module_of(frame), frame.f_code.co_name
        if module.startswith("transformers."):
            yield from _transformers(frame, function)
        elif module.startswith("torch.optim."):
            yield from _moments(frame)
        elif function == ENGINE and own is not None:
            yield from _graph(own)
        elif module == "datasets.load":
            yield from _data(frame)
        elif module == "evaluate.module" and "predictions" in frame.f_locals:
            yield from _metric(frame.f_locals["predictions"])
        elif module.startswith("numpy.") and function == "stack":
            yield from _stacked(frame.f_locals.get("arrays"))
    if own is not None and any(_module_of(frame).startswith("keras.") for frame in frames):
        yield from _keras(own)


def _is_along_rows(own: FrameType) -> bool:
    """Whether a function of the script's took the extremes of an array's columns.

    By the array's own method, or by a function of a library that is given the array.
    """
    tree = parsed(own.f_code.co_filename)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)] if tree else []
    for node in (n for f in functions if f.name == own.f_code.co_name for n in ast.walk(f)):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        call, target = node.value, node.targets[0]
        method = call.func if isinstance(call.func, ast.Attribute) else None
        if method is None or method.attr not in ("argmax", "argmin"):
            continue
        if not isinstance(target, ast.Name):
            continue
        texts = (target.id, *map(ast.unparse, (method.value, *call.args[:1])))
        found = (_kept(own, each) for each in texts)
        answers, *tables = (tuple(each.shape) if _is_array(each) else () for each in found)
        if any(len(t) > 1 and answers == t[1:] and answers != t[:1] for t in tables):
            return True
    return False


def _kept(frame: FrameType, name: str) -> Any:
    """Return the value of a dotted name, as it is kept in objects; None where it is not."""
    first, *rest = name.split(".")
    value = frame.f_locals.get(first)
    for part in rest:
        value = getattr(value, "__dict__", {}).get(part)
    return value


def _is_array(value: Any) -> bool:
    return _is_a(value, "numpy", "ndarray") or is_tensor(value)


def _passed(frames: list[FrameType]) -> Iterator[CrashFact]:
    """Yield the facts from the modules that a traceback has gone through."""
    modules = list(map(_module_of, frames))
    packages = {module.partition(".")[0] for module in modules}
    if "torch" in packages:
        yield "frames.quantizing", int(any(m.partition(".")[0] in QUANTIZING for m in modules))
    if "tensorflow" in sys.modules:
        yield "frames.keras2", int(any(m.partition(".")[0] in OLDER for m in modules))
        yield "frames.slicing", int(SLICING in modules)
    if packages & {"torch", "datasets", "evaluate"}:
        # There the Trainer takes apart what a method of the script's gives.
        functions = [f.f_code.co_name for f in frames[:2]]
        yield "trainer.takes_apart", int(functions == ["__iter__", "prediction_step"])
    if "json.decoder" in modules:
        yield "json.of_file", int(any(f.f_code.co_name == "load" for f in frames))
    if "torch.utils.data.dataloader" in modules:
        yield "system.platform", sys.platform


def _transformers(frame: FrameType, function: str) -> Iterator[CrashFact]:
    """Yield the facts in a transformers frame: a column, a text, a model's head, a folder."""
    found = frame.f_locals
    owner = found.get("self")
    if function in EVALUATING:
        yield "trainer.evaluating", 1
    if function == "compute_loss" and isinstance(found.get("inputs"), Mapping):
        yield from _columns(owner, found["inputs"])
    if function == "convert_to_tensors" and isinstance(found.get("key"), str):
        yield from _column(found["key"], found.get("value"))
    if function == "torch_default_data_collator":
        # Before it comes to any other column, it makes a tensor of the labels.
        name, rows = found.get("k", "label"), found.get("features") or ()
        values = [row[name] for row in rows if type(row) is dict and name in row]
        if values and isinstance(name, str):
            yield from _column(name, values)
    if function in ("_encode_plus", "_batch_encode_plus"):
        # The second name is that of transformers 4.
        text = found.get("text", found.get("batch_text_or_text_pairs"))
        yield from _text(text, is_split=bool(found.get("is_split_into_words")))
    kind = type(owner).__name__
    _body, marked, head = kind.partition("For")
    if marked and is_module(owner):
        yield "model.head", head
    if is_module(owner) and ("Decoder" in kind or "Encoder" in kind or kind.endswith("Stack")):
        yield "stack.is_decoder", int(bool(vars(owner).get("is_decoder", "Decoder" in kind)))
    if function == "from_pretrained" and "Tokenizer" in str(
        getattr(found.get("cls"), "__name__", "")
    ):
        yield from _folder(found.get("pretrained_model_name_or_path"))


def _columns(trainer: Any, inputs: Mapping[str, Any]) -> Iterator[CrashFact]:
    """Which columns, that may be labels, a Trainer's model did not get; of which task they are."""
    if any("label" in str(name) for name, value in inputs.items() if value is not None):
        return
    info = getattr(trainer, "__dict__", {}).get("train_dataset")
    features = getattr(getattr(info, "_info", None), "features", None)
    found = dict(features) if isinstance(features, dict) else dict.fromkeys(inputs)
    left = {
        name
        for name, kind in found.items()
        if (name not in inputs or features is None)
        and name not in INPUTS
        and getattr(kind, "dtype", None) not in TEXT
    }
    words = [n for n, kind in found.items() if getattr(kind, "dtype", None) in TEXT]
    yield "trainer.text_labels", int(any(name in LABELS for name in words))
    yield "trainer.columns_left", len(left)
    yield "trainer.task", "QuestionAnswering" if left >= POSITIONS else "other"


def _metric(predictions: Any) -> Iterator[CrashFact]:
    """How many axes the predictions have that a metric is given; one place has none."""
    axes = getattr(predictions, "ndim", None)
    if isinstance(axes, int):
        yield "metric.prediction_axes", axes


def _folder(name: Any) -> Iterator[CrashFact]:
    """Whether the folder that a tokenizer is loaded from holds files of one."""
    if isinstance(name, str | Path) and Path(name).is_dir():
        files = (file for pattern in TOKENIZERS for file in Path(name).glob(pattern))
        yield "folder.has_tokenizer", int(next(files, None) is not None)


def _column(name: str, value: Any) -> Iterator[CrashFact]:
    """Yield the column that no tensor could be made of, and the kind of its innermost values."""
    yield "column.name", name
    for _level in range(4):
        if not isinstance(value, list) or not value:
            break
        value = value[0]
    yield "column.kind", type(value).__name__


def _text(value: Any, *, is_split: bool) -> Iterator[CrashFact]:
    """Yield a tokenizer's input: a column, or the first thing of a list that is no text.

    Lists of words, unless it was told to expect them, are neither texts nor pairs.
    """
    given = value if isinstance(value, list) else [value]
    odd = next((each for each in given if not isinstance(each, str | list | tuple)), "")
    lists = [each for each in given if isinstance(each, list)]
    are_words = all(isinstance(word, str) for each in lists for word in each)
    if not is_split and are_words and any(len(each) != PAIR for each in lists):
        yield "text.kind", "words"
        return
    yield "text.kind", type(odd).__name__


def _moments(frame: FrameType) -> Iterator[CrashFact]:
    """Whether what an optimizer remembers of a weight has another shape than the weight."""
    weight = frame.f_locals.get("param")
    moments = [frame.f_locals.get(name) for name in ("exp_avg", "momentum_buffer", "square_avg")]
    held = [each for each in moments if is_tensor(each)]
    if weight is not None and held:
        yield "optimizer.state_differs", int(held[0].shape != weight.shape)


def _graph(own: FrameType) -> Iterator[CrashFact]:
    """Yield the facts on a script's graph: whether something ties it up or cuts it off."""
    values = values_of(own)
    # One that a function is given stands in the module, too.
    optimizers = {id(v) for v in values if _is_a(v, "torch.optim", "Optimizer")}
    carried = any(map(_has_graph, _carried(own)))
    yield "graph.carried", int(carried or len(optimizers) > 1)
    saving = any(_saves(value) for value in values if is_module(value))
    checkpoint = getattr(sys.modules.get("torch.utils.checkpoint"), "checkpoint", None)
    called = checkpoint is not None and any(value is checkpoint for value in values)
    yield "model.checkpointing", int(saving or called)


def _saves(module: Any) -> bool:
    """Whether a module, or one of its parts, computes its intermediate results a second time."""
    waiting, known = [module], 0
    while waiting and known < MODULES:
        part, known = waiting.pop(), known + 1
        own = vars(part)
        if own.get("gradient_checkpointing") is True:
            return True
        waiting.extend(each for each in own.get("_modules", {}).values() if is_module(each))
    return False


def _carried(own: FrameType) -> Iterator[Any]:
    """Values of names that a statement in a loop reads and writes: `out, state = rnn(x, state)`."""
    tree = parsed(own.f_code.co_filename)
    if tree is None:
        return
    loops = [each for each in ast.walk(tree) if isinstance(each, ast.For | ast.While)]
    for statement in (each for loop in loops for each in ast.walk(loop)):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            written = _names(*statement.targets)
            given = _names(statement.value)
            yield from (own.f_locals.get(name) for name in sorted(written & given))


def _names(*parts: ast.AST) -> set[str]:
    return {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}


def _has_graph(value: Any) -> bool:
    """Whether a tensor, or one of a tuple of them, remembers how it was made."""
    parts = value if isinstance(value, tuple | list) else (value,)
    return any(is_tensor(part) and part.grad_fn is not None for part in parts)


def _data(frame: FrameType) -> Iterator[CrashFact]:
    """Whether the name of a data set is that of a file or a folder of the learner's."""
    path = frame.f_locals.get("path")
    if frame.f_code.co_name == "dataset_module_factory" and isinstance(path, str):
        yield "data.local", int(Path(path).exists())


def _keras(own: FrameType) -> Iterator[CrashFact]:
    """Yield the facts of a Keras script: methods that give nothing, an `adapt`."""
    tree = parsed(own.f_code.co_filename)
    if tree is not None:
        yield "script.call_gives_none", int(_gives_none(tree, "call"))
        yield "script.step_gives_none", int(_gives_none(tree, "train_step"))
        yield "script.adapts", int(_adapts(tree))


def _gives_none(tree: ast.Module, name: str) -> bool:
    """Whether a class of the script has a method of a name that returns nothing."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    calls = [n for c in classes for n in c.body if isinstance(n, ast.FunctionDef)]
    return any(
        not any(isinstance(each, ast.Return) and each.value for each in ast.walk(call))
        for call in calls
        if call.name == name
    )


def _adapts(tree: ast.Module) -> bool:
    """Whether the script has a layer learn from data before the training."""
    return any(isinstance(node, ast.Attribute) and node.attr == "adapt" for node in ast.walk(tree))


def _stacked(arrays: Any) -> Iterator[CrashFact]:
    """Whether tables that do not fit on one another are pictures, and no rows of other lengths."""
    if type(arrays) is not list:
        return
    found = [each for each in arrays if _is_a(each, "numpy", "ndarray")]
    shapes = {each.shape for each in found[:VALUES]}
    axes = {len(shape) for shape in shapes}
    if len(found) == len(arrays) and len(axes) == 1:
        sizes = zip(*shapes, strict=True)
        differ = sum(len(set(each)) > 1 for each in sizes)
        yield "stacked.pictures", int(axes == {3} or (axes == {2} and differ == 2))


def values_of(frame: FrameType | None) -> list[Any]:
    """Return the values of a frame's own names and of its module's."""
    if frame is None:
        return []
    known = list(frame.f_locals.values())[:VALUES]
    return known + ([] if frame.f_locals is frame.f_globals else [*frame.f_globals.values()])


def _module_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__"))


def _is_a(value: Any, module: str, name: str) -> bool:
    """Whether an object is of a library's class, by its type: it is not asked for its class."""
    return issubclass(type(value), getattr(sys.modules.get(module), name, ()))


def is_tensor(value: Any) -> TypeGuard[Any]:
    """Whether this is a tensor of PyTorch's own class: another may do anything when it is asked."""
    torch = sys.modules.get("torch")
    parameter = getattr(getattr(torch, "nn", None), "Parameter", None)
    return torch is not None and type(value) in (getattr(torch, "Tensor", None), parameter)


def is_module(value: Any) -> TypeGuard[Any]:
    """Whether this is a network of PyTorch, or a part of one."""
    return _is_a(value, "torch.nn", "Module")
