"""What a training step of a model takes of the memory, counted part by part.

The intermediate results are those that autograd keeps for the backward pass, each storage once. A
model of any size is counted without its memory: its tensors are fake, with shapes and no content.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Literal, TypedDict

Head = Literal["classes", "language-model"]
Mode = Literal["plain", "checkpointing", "bf16"]
ADAM = 2
"""Numbers that Adam keeps for each parameter: the means of its gradient and of its square."""


class MemoryOrder(TypedDict):
    """A model, by the values of its configuration or a checkpoint's name, and the sizes to count.

    `sizes` are batches and lengths, each with how it is run.
    """

    checkpoint: str | dict[str, Any]
    head: Head
    labels: int
    sizes: list[tuple[int, int, Mode]]


class MemoryCounts(TypedDict):
    """Bytes of a model's parameters, with their number, and of what each of the sizes keeps."""

    parameters: int
    weights: int
    gradients: int
    optimizer: int
    activations: list[int]


class GpuStep(TypedDict):
    """The bytes of a GPU, and the most that a step took of them; None where it did not fit."""

    size: int
    peak: int | None


def count(order: MemoryOrder) -> MemoryCounts:
    """Count a model without making it: all its tensors are fake."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        model = _model(order)
        trained = [each for each in model.parameters() if each.requires_grad]
        gradients = sum(_bytes(each) for each in trained)
        return {
            "parameters": sum(each.numel() for each in model.parameters()),
            "weights": sum(_bytes(each) for each in model.parameters()),
            "gradients": gradients,
            "optimizer": ADAM * gradients,
            "activations": [_kept(model, order, *size) for size in order["sizes"]],
        }


def measure(order: MemoryOrder) -> MemoryCounts:
    """Make a model, train it for a step of each of the sizes, and count what is there then."""
    import torch

    model = _model(order)
    optimizer = torch.optim.AdamW(model.parameters())
    activations = []
    for batch, length, _mode in order["sizes"]:
        inputs = _inputs(order["head"], batch, length)
        with _counting(model, inputs) as kept:
            loss = model(**inputs).loss
        activations.append(sum(kept.values()))
        loss.backward()
        optimizer.step()
    states = [each for state in optimizer.state.values() for each in state.values()]
    gradients = [each.grad for each in model.parameters() if each.grad is not None]
    return {
        "parameters": sum(each.numel() for each in model.parameters()),
        "weights": sum(_bytes(each) for each in model.parameters()),
        "gradients": sum(_bytes(each) for each in gradients),
        "optimizer": sum(_bytes(each) for each in states if torch.is_tensor(each)),
        "activations": activations,
    }


def step_on_gpu(order: MemoryOrder) -> GpuStep | None:
    """Train a new model on the GPU, twice: Adam's numbers are there from the second step on.

    None where there is no GPU.
    """
    import torch

    if not torch.cuda.is_available():
        return None
    batch, length, _mode = order["sizes"][0]
    size = int(torch.cuda.get_device_properties(0).total_memory)
    torch.cuda.reset_peak_memory_stats()
    try:
        model = _model(order).to("cuda")
        optimizer = torch.optim.AdamW(model.parameters())
        for _ in range(2):
            inputs = _inputs(order["head"], batch, length)
            inputs = {name: tensor.to("cuda") for name, tensor in inputs.items()}
            model(**inputs).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    except torch.cuda.OutOfMemoryError:
        return {"size": size, "peak": None}
    return {"size": size, "peak": int(torch.cuda.max_memory_allocated())}


def _model(order: MemoryOrder) -> Any:
    """Make a new model in training mode; its weights are random, as their values take no part."""
    from transformers import (
        AutoConfig,
        AutoModelForCausalLM,
        AutoModelForSequenceClassification,
    )

    known = order["checkpoint"]
    classes = {"num_labels": order["labels"]} if order["head"] == "classes" else {}
    if isinstance(known, str):
        config = AutoConfig.from_pretrained(known, **classes)
    else:
        config = AutoConfig.for_model(**{**known, **classes})
    config.use_cache = False
    kinds: dict[Head, Any] = {
        "classes": AutoModelForSequenceClassification,
        "language-model": AutoModelForCausalLM,
    }
    # Step by step, attention keeps the same on any device.
    how = {} if isinstance(known, str) else {"attn_implementation": "eager"}
    return kinds[order["head"]].from_config(config, **how).train()


def _inputs(head: Head, batch: int, length: int) -> dict[str, Any]:
    """Make a batch without padding; for a language model each token is a label, too."""
    import torch

    ids = torch.ones(batch, length, dtype=torch.long)
    labels = ids if head == "language-model" else torch.zeros(batch, dtype=torch.long)
    return {"input_ids": ids, "labels": labels}


def _kept(model: Any, order: MemoryOrder, batch: int, length: int, mode: Mode) -> int:
    """Count the bytes that autograd keeps of a forward pass, and with checkpointing makes again.

    One layer's intermediate results come back at a time in the backward pass, then.
    """
    if mode == "checkpointing":
        model.gradient_checkpointing_enable()
        kept = _forward(model, order, batch, length)
        model.gradient_checkpointing_disable()
        layers = int(model.config.num_hidden_layers)
        return kept + _forward(model, order, batch, length) // layers
    return _forward(model, order, batch, length, mixed=mode == "bf16")


def _forward(
    model: Any, order: MemoryOrder, batch: int, length: int, *, mixed: bool = False
) -> int:
    import torch

    inputs = _inputs(order["head"], batch, length)
    casting: AbstractContextManager[Any] = (
        torch.autocast("cpu", dtype=torch.bfloat16) if mixed else nullcontext()
    )
    with _counting(model, inputs) as kept, casting:
        outputs = model(**inputs)
    del outputs
    return sum(kept.values())


@contextmanager
def _counting(model: Any, inputs: dict[str, Any]) -> Iterator[dict[int, int]]:
    """Count the storages, by their bytes, that autograd keeps beside the model's and the batch's.

    Each is held until the end: its address would be given to another.
    """
    import torch

    there = [*model.parameters(), *model.buffers(), *inputs.values()]
    own = {each.untyped_storage()._cdata for each in there}
    kept: dict[int, int] = {}
    held = []

    def keep(tensor: Any) -> Any:
        storage = tensor.untyped_storage()
        if storage._cdata not in own:
            held.append(storage)
            kept[storage._cdata] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        yield kept


def _bytes(tensor: Any) -> int:
    return int(tensor.numel() * tensor.element_size())
