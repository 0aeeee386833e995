"""Facts of the moment in which an exception was raised, found in the frames that it came through.

One message can have several causes, and what tells them apart is in the locals of a library's own
frames: the ids and the table of an embedding, the outputs and the target of a loss. They are looked
up, never computed: no code of the learner's is called, no `repr`, no property, no operator. What
could not be found is not there.
"""

import builtins
import functools
import linecache
import re
import sys
import time
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType, FunctionType, MappingProxyType, ModuleType, TracebackType
from typing import Any, Protocol

from course_probe import crash_causes
from course_probe.crash_causes import is_module, is_tensor, values_of

Facts = dict[str, float | str]

PATIENCE = 0.5
"""Seconds after which no more is looked for."""
NUMBERS = 2_000_000
"""Numbers of the largest tensor whose smallest and largest are looked for."""
NAMES = 12
"""Names of the learner's line that are described."""
LONGEST = 80
"""Characters of the description of one of them."""
LINES = 8
"""Lines of the longest statement whose names are described."""
DEEPEST = 400
"""Levels of a traceback that are looked at, from the innermost."""
FUNCTIONAL = "torch.nn.functional"
WANTS = ("in_features", "in_channels", "input_size", "num_features", "normalized_shape")
"""Where layers keep how wide their input is to be."""
POSITIONS = ("max_position_embeddings", "n_positions", "max_source_positions")
SIZES = re.compile(r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)")
NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
STRING = re.compile(r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|#.*")
BATCHED = 3
"""Axes of a batch of series, and of its state."""
PLAIN = (int, float, str, bool, type(None), complex, bytes)
SILENT = (ModuleType, type, FunctionType)
"""Kinds of values that say nothing of a failure."""
BOXES: tuple[type, ...] = (list, tuple, set, frozenset)


class HasFrame(Protocol):
    """Tells the learner's own frames from those of libraries."""

    def has(self, frame: FrameType) -> bool:
        """Whether a frame is of the learner's own."""


def find(levels: list[TracebackType], own: HasFrame, message: str = "") -> Facts:
    """Return the facts in the frames of a traceback, from its first level to the last.

    The `message` tells which sizes did not fit. Whatever goes wrong in here, the error itself is
    what counts.
    """
    found: Facts = {}
    deadline = time.perf_counter() + PATIENCE
    inward = levels[::-1][:DEEPEST]
    frames = [level.tb_frame for level in inward]
    mine = next((level for level in inward if own.has(level.tb_frame)), None)
    script = None if mine is None else mine.tb_frame
    for look in (_embedding, _layer, _batch, _model, _tokenizer):
        _add(found, look, frames, deadline)
    for with_own in (_loss, crash_causes.find):
        _add(found, functools.partial(with_own, own=script), frames, deadline)
    if mine is not None:
        _add(found, _line, mine, deadline)
        sizes = SIZES.search(message)
        if sizes is not None and mine is inward[0]:
            _add(
                found,
                lambda level: _weight_sizes(level, set(map(int, sizes.groups()))),
                mine,
                deadline,
            )
        second = _second(inward, mine, own)
        if second is not None:
            _add(found, lambda level: _line(level, "second."), second, deadline)
    return found


def _second(
    inward: list[TracebackType], mine: TracebackType, own: HasFrame
) -> TracebackType | None:
    """Return the other level that decides: the one that raised.

    Where that is in the learner's own line, it is the one of the learner's that has called it.
    """
    if inward[0] is not mine:
        return inward[0]
    return next((level for level in inward[1:] if own.has(level.tb_frame)), None)


def _add(found: Facts, look: Any, where: Any, deadline: float) -> None:
    """Add what one look finds, as far as there is time; what is known already stays."""
    try:
        for name, value in look(where):
            if isinstance(value, str | int | float) and value == value:
                found.setdefault(name, value if isinstance(value, str) else _number(value))
            if time.perf_counter() > deadline:
                return
    except Exception:  # noqa: BLE001 - a tensor of a device that is lost raises whatever it is asked
        return


def _number(value: float) -> float:
    return int(value) if isinstance(value, bool) else value


def _embedding(frames: list[FrameType]) -> Iterator[tuple[str, Any]]:
    """Yield the ids that were looked up in a table, and the table."""
    for at, frame in enumerate(frames):
        if not _is_at(frame, "embedding"):
            continue
        ids, table = (frame.f_locals.get(name) for name in ("input", "weight"))
        if is_tensor(table):
            yield "embedding.rows", table.shape[0]
        if is_tensor(ids):
            lowest, highest = _range(ids)
            yield "embedding.largest_id", highest
            yield "embedding.smallest_id", lowest
        yield "embedding.positions", int(_is_of_positions(frames[at + 1 :]))
        return
    # An error on a GPU comes late: what a network looks up in is known all the same.
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return
    for value in (value for frame in frames for value in frame.f_locals.values()):
        tables = _tables(value) if issubclass(type(value), torch.nn.Module) else 0
        if tables:
            yield "embedding.tables", tables
            return


def _tables(layer: Any) -> int:
    """Count the tables that a layer and the layers in it look up in, without calling any."""
    inner = _dictionary(layer).get("_modules") or {}
    return sum(map(_tables, inner.values())) + (type(layer).__name__ == "Embedding")


def _is_of_positions(frames: list[FrameType]) -> bool:
    """Whether the innermost layer of these frames is called a table of positions by its owner."""
    layer = None
    for frame in frames:
        owner = frame.f_locals.get("self")
        if not is_module(owner):
            continue
        if layer is None:
            layer = owner
        parts = _slot(owner, "_modules")
        name = next((k for k, v in parts.items() if v is layer), "") if parts else ""
        if name:
            return "pos" in name.lower() or name == "wpe"
    return False


def _loss(frames: list[FrameType], own: FrameType | None) -> Iterator[tuple[str, Any]]:
    """Yield the outputs and the target of a loss, and whether a batch has its rows exchanged."""
    for frame in frames:
        given = frame.f_locals
        if frame.f_globals.get("__name__") != FUNCTIONAL or "target" not in given:
            continue
        outputs, target = given.get("input"), given["target"]
        if is_tensor(outputs):
            yield "outputs.shape", _shape(outputs)
            yield "outputs.ndim", outputs.ndim
            if outputs.ndim:
                yield "outputs.classes", outputs.shape[1 if outputs.ndim > 1 else 0]
        if is_tensor(target):
            yield "target.dtype", str(target.dtype)
            yield "target.shape", _shape(target)
            yield "target.ndim", target.ndim
        if is_tensor(outputs) and is_tensor(target) and outputs.ndim and target.ndim:
            rows = (target.shape[0], outputs.shape[0])
            yield "target.rows", rows[0]
            yield "outputs.rows", rows[1]
            tables = [each for each in values_of(own) if is_tensor(each) and each.ndim > 1]
            is_swapped = rows in [tuple(each.shape[:2]) for each in tables]
            yield "batch.swapped", int(rows[0] != rows[1] and is_swapped)
        return


def _layer(frames: list[FrameType]) -> Iterator[tuple[str, Any]]:
    """Yield the innermost layer of `torch.nn` that was given an input."""
    for frame in frames:
        layer = frame.f_locals.get("self")
        given = frame.f_locals.get("input")
        is_layer = is_module(layer) and type(layer).__module__.startswith("torch.nn.modules.")
        if not is_layer or not is_tensor(given):
            continue
        kind = type(layer).__name__
        if kind.endswith("Loss"):
            continue
        yield "layer.kind", kind
        yield "layer.input_ndim", given.ndim
        yield "layer.input_shape", _shape(given)
        own = _dictionary(layer)
        wants = next((own[name] for name in WANTS if name in own), None)
        if isinstance(wants, tuple) and wants:
            wants = wants[-1]
        if type(wants) is int and given.ndim:
            yield "layer.wants", wants
            yield "layer.got", _width(kind, given)
        state = frame.f_locals.get("hx", frame.f_locals.get("hidden"))
        state = state[0] if type(state) is tuple and state else state
        if is_tensor(state) and state.ndim == given.ndim == BATCHED:
            other = given.shape[int(own.get("batch_first") is True)]
            yield "batch.swapped", int(state.shape[1] == other)
        return


def _width(kind: str, given: Any) -> int:
    """Return the size of the input where a layer of this kind wants its width."""
    if kind.startswith(("Conv", "BatchNorm", "LazyConv", "InstanceNorm")) and given.ndim > 1:
        inner = int(kind[-2]) if kind[-2:-1].isdigit() else 0
        at = 1 if given.ndim != inner + 1 else 0
        return int(given.shape[at])
    return int(given.shape[-1])


def _batch(frames: list[FrameType]) -> Iterator[tuple[str, Any]]:
    """Yield the token ids, or the pictures, that a model was given."""
    for frame in frames:
        pictures = frame.f_locals.get("pixel_values")
        if is_tensor(pictures):
            yield "batch.image_ndim", pictures.ndim
        ids = frame.f_locals.get("input_ids")
        if is_tensor(ids) and ids.ndim:
            yield "batch.longest", ids.shape[-1]
            yield "batch.ndim", ids.ndim
            return


def _model(frames: list[FrameType]) -> Iterator[tuple[str, Any]]:
    """Yield what the configuration of a `transformers` model says."""
    found = _found_config(frames)
    config = _dictionary(found)
    if not config:
        return
    kind = config.get("model_type") or vars(type(found)).get("model_type")
    yield "model.kind", kind or _class_word(config)
    known = (config[name] for name in POSITIONS if type(config.get(name)) is int)
    yield "model.positions", next(known, None)
    labels = config.get("id2label")
    if type(labels) is dict:
        yield "model.labels", len(labels)


def _class_word(config: Mapping[str, Any]) -> Any:
    names = config.get("architectures")
    return names[0] if type(names) is list and names else None


def _found_config(frames: list[FrameType]) -> Any:
    """Find the configuration of the outermost model in the frames, or of one in a trainer."""
    found = None
    for frame in frames:
        owner = frame.f_locals.get("self")
        held = _dictionary(owner).get("model")
        for each in (owner, held, *_of_script(frame)):
            config = _dictionary(each).get("config") if is_module(each) else None
            found = config if _is_of(config, "transformers.") else found
    return found


def _of_script(frame: FrameType) -> Iterator[Any]:
    """Yield the values of the names of a frame, where it is one of the script."""
    if frame.f_globals.get("__name__") == "__main__":
        yield from list(frame.f_locals.values())[:500]
        if frame.f_locals is not frame.f_globals:
            yield from list(frame.f_globals.values())[:500]


def _tokenizer(frames: list[FrameType]) -> Iterator[tuple[str, Any]]:
    """Yield the facts of the tokenizer in the frames: of a trainer, a collator, or the script."""
    tokenizer = next(filter(None, (_found_tokenizer(frame) for frame in frames)), None)
    if tokenizer is None:
        return
    own = _dictionary(tokenizer)
    yield "tokenizer.size", len(tokenizer)
    yield "tokenizer.added", len(tokenizer) - tokenizer.vocab_size
    name, config = own.get("name_or_path"), _dictionary(_found_config(frames))
    other = config.get("_name_or_path")
    if type(name) is str and type(other) is str and name and other:
        yield "tokenizer.same_checkpoint", int(name == other)


def _found_tokenizer(frame: FrameType) -> Any:
    owner = frame.f_locals.get("self")
    held = _dictionary(owner)
    near = (owner, held.get("processing_class"), held.get("tokenizer"))
    for each in (*near, frame.f_locals.get("tokenizer"), *_of_script(frame)):
        base = sys.modules.get("transformers.tokenization_utils_base")
        kind = getattr(base, "PreTrainedTokenizerBase", None)
        if kind is not None and issubclass(type(each), kind) and _is_of(each, "transformers."):
            return each
    return None


def _line(level: TracebackType, prefix: str = "line.") -> Iterator[tuple[str, Any]]:
    """Yield the names in a line, each with a few words on its value."""
    frame = level.tb_frame
    shown: set[str] = set()
    text = _text(frame.f_code, level.tb_lasti, level.tb_lineno)
    for name in _names(text):
        for known in _prefixes(name):
            if known in shown or len(shown) >= NAMES:
                continue
            try:
                value = _value(known, frame)
            except LookupError:
                break
            if not issubclass(type(value), SILENT) and not _is_function(value):
                shown.add(known)
                yield f"{prefix}{known}", describe(value)


def _weight_sizes(level: TracebackType, sizes: set[int]) -> Iterator[tuple[str, Any]]:
    """Whether a weight of a network's own has a size in a line that does not fit another there."""
    text = _text(level.tb_frame.f_code, level.tb_lasti, level.tb_lineno)
    for name in _names(text):
        try:
            value = _value(name, level.tb_frame)
        except LookupError:
            continue
        if is_tensor(value) and type(value).__name__ == "Parameter" and sizes & set(value.shape):
            yield "line.shapes_differ", 1


def _names(text: str) -> Iterator[str]:
    """Yield the dotted names of a line, without names of arguments and attributes of results."""
    depth, last = 0, 0
    for found in NAME.finditer(text):
        between = text[last : found.start()]
        depth += sum(between.count(each) for each in "([{")
        depth -= sum(between.count(each) for each in ")]}")
        last = found.end()
        is_argument = depth > 0 and re.match(r"\s*=(?!=)", text[found.end() :])
        if not is_argument and not between.rstrip().endswith("."):
            yield found[0]


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    for number in range(1, len(parts) + 1):
        yield ".".join(parts[:number])


def _text(code: CodeType, last: int, line: int) -> str:
    """Return the lines of an instruction's statement, without what stands in quotes."""
    end = line
    if last >= 0:
        first, until = list(code.co_positions())[last // 2][:2]
        if first is not None and until is not None:
            line, end = min(line, first), max(line, until)
    lines = (
        linecache.getline(code.co_filename, n) for n in range(line, min(end, line + LINES) + 1)
    )
    return "\n".join(STRING.sub(" ", text) for text in lines)


def _value(name: str, frame: FrameType) -> Any:
    """Return the value of a dotted name in a frame; raise LookupError where it is not known."""
    first, *rest = name.split(".")
    if first in frame.f_locals:
        value = frame.f_locals[first]
    elif hasattr(builtins, first) and first not in frame.f_globals:
        raise LookupError(name)
    else:
        value = frame.f_globals[first]
    for part in rest:
        value = _attribute(value, part)
    return value


def _attribute(owner: Any, name: str) -> Any:
    """Return an attribute that is kept in an object, as it is; nothing is called to get it."""
    if issubclass(type(owner), (ModuleType, type)):
        raise LookupError(name)
    own = _dictionary(owner)
    if name in own:
        return own[name]
    if is_module(owner):
        for slot in ("_modules", "_parameters", "_buffers"):
            parts = _slot(owner, slot)
            if parts is not None and name in parts:
                return parts[name]
    raise LookupError(name)


def _is_function(value: Any) -> bool:
    """Whether a value is a function of a library or of an object: these say nothing."""
    return type(value).__name__ in ("builtin_function_or_method", "method", "partial")


def describe(value: Any) -> str:
    """Describe a value in a few words: a tensor by shape, type and device, other objects by class.

    Only what is of Python itself is shown as it is.
    """
    kind = type(value)
    if kind in PLAIN:
        return _cut(repr(value[:LONGEST] if kind in (str, bytes) else value))
    if kind in BOXES:
        return _described_box(value)
    if kind is dict:
        keys = [str(key) for key in list(value)[:6] if type(key) in (str, int)]
        more = ", …" if len(value) > len(keys) else ""
        return _cut(f"dict({len(value)}): {', '.join(keys)}{more}")
    if is_tensor(value):
        return _described_tensor(value)
    if _is_of(value, "numpy") and hasattr(kind, "shape") and hasattr(kind, "dtype"):
        return _cut(f"{kind.__name__} {_shape(value)} {value.dtype}")
    if is_module(value):
        own = _dictionary(value)
        sides = [own[n] for n in ("in_features", "out_features") if type(own.get(n)) is int]
        return _cut(f"{kind.__name__} {' → '.join(map(str, sides))}".strip())
    data = _dictionary(value).get("data")
    if _is_of(value, "transformers.") and type(data) is dict:
        return _cut(f"{kind.__name__}: {', '.join(map(str, list(data)[:6]))}")
    return _cut(kind.__name__)


def _described_box(value: Any) -> str:
    kind = type(value).__name__
    first = list(value)[:6] if len(value) < NUMBERS else value[:6]
    if len(value) <= len(first) and all(
        type(each) in PLAIN and (type(each) not in (str, bytes) or len(each) < LONGEST)
        for each in first
    ):
        return _cut(repr(value))
    inner = {_cut(type(each).__name__) for each in first}
    return _cut(f"{kind}({len(value)}) {'/'.join(sorted(inner))}")


def _described_tensor(value: Any) -> str:
    words = f"{type(value).__name__} {_shape(value)} {str(value.dtype).removeprefix('torch.')}"
    words += f" {value.device}"
    if str(value.dtype).startswith(("torch.int", "torch.uint")):
        lowest, highest = _range(value)
        if lowest is not None:
            words += f", {lowest} … {highest}"
    return _cut(words)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"


def _shape(value: Any) -> str:
    return "[" + ", ".join(str(int(n)) for n in value.shape) + "]"


def _range(value: Any) -> tuple[float | None, float | None]:
    """Return the smallest and the largest number of a tensor that is on the CPU, and not too big.

    After an error on a GPU reading one may raise or hang.
    """
    if str(value.device) != "cpu" or not 0 < value.numel() <= NUMBERS or value.is_complex():
        return None, None
    torch = sys.modules["torch"]
    with torch.no_grad():
        return value.min().item(), value.max().item()


def _is_at(frame: FrameType, function: str) -> bool:
    return frame.f_code.co_name == function and frame.f_globals.get("__name__") == FUNCTIONAL


def _is_of(value: Any, module: str) -> bool:
    """Whether an object is of a class that a library defines."""
    return str(getattr(type(value), "__module__", "")).startswith(module)


def _dictionary(value: Any) -> Mapping[str, Any]:
    """Return the attributes that are kept in an object, without asking the object."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) in (dict, MappingProxyType) else {}


def _slot(owner: Any, name: str) -> Mapping[str, Any] | None:
    """Return a table that `torch.nn.Module` keeps of its parts; None where there is none."""
    found = _dictionary(owner).get(name)
    return found if isinstance(found, dict) else None
