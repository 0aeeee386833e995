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
found = {name: {**memory.count(order), "measured": False} for name, order in orders.items()}
tiny = found["embedded"]
if tiny["weights"] + tiny["gradients"] + tiny["optimizer"] + tiny["activations"][0] < room:
    found["embedded"] = {**memory.measure(orders["embedded"]), "measured": True}
gpu = memory.step_on_gpu(orders["real"])
print(json.dumps({"counts": found, "gpu": gpu}))
"""
CASES = ("now", "half-batch", "twice-batch", "half-length", "twice-length", "checkpointing", "bf16")
"""The sizes and settings that are compared. Accumulation keeps what its smaller batch keeps."""


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
    found = answer["counts"]
    counted = {name: _parts(counts) for name, counts in found.items()}
    kept = found["real"]["activations"]
    return MemoryEstimate(
        checkpoint,
        batch,
        length,
        counted["embedded"],
        bool(found["embedded"]["measured"]),
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
    half_batch, half_length = max(1, batch // 2), max(1, length // 2)
    sizes: tuple[tuple[int, int, Mode], ...] = (
        (batch, length, "plain"),
        (half_batch, length, "plain"),
        (2 * batch, length, "plain"),
        (batch, half_length, "plain"),
        (batch, 2 * length, "plain"),
        (batch, length, "checkpointing"),
        (batch, length, "bf16"),
    )
    pairs = zip(CASES, sizes, strict=True)
    return [(what, size) for what, size in pairs if size[1] <= checkpoint.positions]


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
        sentence = _("The memory could not be counted: {reason}")
        raise UserError(sentence.format(reason=why[-400:])) from error


def _parts(counts: dict[str, Any]) -> MemoryParts:
    return MemoryParts(
        counts["parameters"],
        counts["weights"],
        counts["gradients"],
        counts["optimizer"],
        counts["activations"][0],
    )
