"""What a training step takes of the memory: counted in a runtime, since that has the models."""

import json
from dataclasses import dataclass
from typing import Any

from course.base import paths, schema
from course.base.errors import UserError
from course.base.i18n import _
from course.runs.process import Job
from course.runs.run_context import RunContext
from course_probe.memory import GpuStep, Head, MemoryOrder, Mode

FORMAT = 1
ROOM = 10**9
"""Bytes that a model with a real step may take here; above it is only counted."""
_COUNT = """
found = {name: memory.count(order) for name, order in orders.items()}
tiny = found["embedded"]
taken = tiny["weights"] + tiny["gradients"] + tiny["optimizer"] + tiny["activations"][0]
if taken < room:
    found["embedded"] = memory.measure(orders["embedded"])
gpu = memory.step_on_gpu(orders["real"])
print(json.dumps({"counts": found, "measured": taken < room, "gpu": gpu}))
"""
CASES: dict[str, tuple[float, float, Mode]] = {
    "now": (1, 1, "plain"),
    "half-batch": (0.5, 1, "plain"),
    "twice-batch": (2, 1, "plain"),
    "half-length": (1, 0.5, "plain"),
    "twice-length": (1, 2, "plain"),
    "checkpointing": (1, 1, "checkpointing"),
    "bf16": (1, 1, "bf16"),
}
"""The sizes, as parts of batch and length, and settings that are compared.

Accumulation keeps what its smaller batch keeps.
"""


@dataclass(frozen=True)
class KnownCheckpoint:
    """A real checkpoint by what its configuration says; `source` is where that stands."""

    name: str
    source: str
    config: dict[str, Any]
    head: Head = "classes"

    @property
    def positions(self) -> int:
        """The tokens of the longest text that it reads."""
        return int(self.config.get("max_position_embeddings") or self.config["n_positions"])


@dataclass(frozen=True)
class _Checkpoints:
    checkpoint: tuple[KnownCheckpoint, ...]


@dataclass(frozen=True)
class MemoryParts:
    """The number of parameters, and bytes: of weights, gradients, Adam's state, activations."""

    parameters: int
    weights: int
    gradients: int
    optimizer: int
    activations: int

    @property
    def fixed(self) -> int:
        """What no batch changes."""
        return self.weights + self.gradients + self.optimizer

    @property
    def total(self) -> int:
        """All of it, as if it were there at one time."""
        return self.fixed + self.activations


@dataclass(frozen=True)
class MemoryCase:
    """A change of the sizes or the settings, and what it leaves of the activations, in bytes.

    `what` is one of `CASES`; a length beyond what the model reads is no case.
    """

    what: str
    batch: int
    length: int
    activations: int


@dataclass(frozen=True)
class MemoryEstimate:
    """What a step takes: of the embedded hub's model, of the real one, and of other real ones.

    `measured` is whether the embedded model made a step; else it was counted like the others. `gpu`
    is a real step of the real model, with random weights, where this machine has a GPU.
    """

    checkpoint: KnownCheckpoint
    batch: int
    length: int
    embedded: MemoryParts
    measured: bool
    real: MemoryParts
    cases: tuple[MemoryCase, ...]
    others: dict[str, MemoryParts]
    gpu: GpuStep | None = None


def checkpoints() -> dict[str, KnownCheckpoint]:
    """Return the real checkpoints whose sizes are known, by name.

    Raises:
        ContentError: their file breaks its format.

    """
    found = schema.read(_Checkpoints, paths.lessons() / "checkpoints.toml", FORMAT)
    return {each.name: each for each in found.checkpoint}


def estimate(
    context: RunContext, checkpoint: KnownCheckpoint, labels: int, batch: int, length: int
) -> MemoryEstimate:
    """Count a checkpoint's step in a runtime.

    Raises:
        UserError: the runtime can't count it; says why.

    """
    cases = _cases(checkpoint, batch, length)
    plain: list[tuple[int, int, Mode]] = [(batch, length, "plain")]
    others = [
        each
        for each in checkpoints().values()
        if each.name != checkpoint.name and length <= each.positions
    ]
    orders: dict[str, MemoryOrder] = {
        "embedded": _order(checkpoint.name, checkpoint.head, labels, plain),
        "real": _order(checkpoint.config, checkpoint.head, labels, [size for _w, size in cases]),
        **{each.name: _order(each.config, each.head, labels, plain) for each in others},
    }
    answer = _count(context, orders)
    kept = answer["counts"]["real"]["activations"]
    counted = {
        name: MemoryParts(**{**counts, "activations": counts["activations"][0]})
        for name, counts in answer["counts"].items()
    }
    return MemoryEstimate(
        checkpoint,
        batch,
        length,
        counted["embedded"],
        answer["measured"],
        counted["real"],
        tuple(
            MemoryCase(what, size[0], size[1], n)
            for (what, size), n in zip(cases, kept, strict=True)
        ),
        {each.name: counted[each.name] for each in others},
        answer["gpu"],
    )


def _cases(
    checkpoint: KnownCheckpoint, batch: int, length: int
) -> list[tuple[str, tuple[int, int, Mode]]]:
    sizes: dict[str, tuple[int, int, Mode]] = {
        what: (max(1, int(batch * rows)), max(1, int(length * tokens)), mode)
        for what, (rows, tokens, mode) in CASES.items()
    }
    return [(what, size) for what, size in sizes.items() if size[1] <= checkpoint.positions]


def _order(
    checkpoint: str | dict[str, Any], head: Head, labels: int, sizes: list[tuple[int, int, Mode]]
) -> MemoryOrder:
    return {"checkpoint": checkpoint, "head": head, "labels": labels, "sizes": sizes}


def _count(context: RunContext, orders: dict[str, MemoryOrder]) -> dict[str, Any]:
    """Have them counted by their names in a process of the runtime, and one tried on its GPU."""
    script = f"import json\nfrom course_probe import memory\n\norders = {orders!r}\nroom = {ROOM}\n"
    # In a look, the probe leaves alone what is computed.
    done = context.run(Job(script, (_COUNT,), "memory.py"))
    try:
        return dict(json.loads(done.record.looks[0].output))
    except (IndexError, ValueError) as error:
        failed = next((look.error for look in done.record.looks if look.error), None)
        why = failed or done.output.strip()
        sentence = _("The memory could not be measured: {reason}")
        raise UserError(sentence.format(reason=why[-400:])) from error
