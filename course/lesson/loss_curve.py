"""The loss of a healthy training, step by step, and how far above it another training is."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FORMAT = 1


@dataclass(frozen=True)
class LossCurve:
    """What healthy runs of a script came to, on the mean over many seeds.

    `losses` pairs a training step with the mean loss of the steps since the one before, for
    batches of `batch_size`. A run has stalled if, from step `judged_at` on, the mean of its last
    `window` steps is more than `excess` above that of the healthy runs at the same step.
    `versions` are the libraries that the healthy runs were recorded with.
    """

    batch_size: int
    losses: tuple[tuple[int, float], ...]
    judged_at: int
    window: int
    excess: float
    versions: dict[str, str]

    @property
    def last(self) -> int:
        """Return the number of the last step that the healthy runs logged."""
        return self.losses[-1][0]

    def above(
        self, losses: Sequence[tuple[int, float]], batch_size: int | None
    ) -> tuple[int, float, float] | None:
        """Return the step at which a run is judged, its mean loss there, and that of healthy runs.

        Steps of another batch size count by the examples they have seen. None where the run has
        not come to `judged_at` yet, or its loss is not finite.
        """
        scale = (batch_size or self.batch_size) / self.batch_size
        run = [(step * scale, loss) for step, loss in losses if step * scale <= self.last]
        if not run or run[-1][0] < self.judged_at:
            return None
        end = run[-1][0]
        theirs, ours = (_mean(points, end - self.window, end) for points in (run, self.losses))
        if theirs is None or ours is None or not math.isfinite(theirs):
            return None
        return round(end / scale), theirs, ours

    def stalled(self, losses: Sequence[tuple[int, float]], batch_size: int | None) -> bool:
        """Whether a run is so far above the healthy ones that it does not learn as they do."""
        found = self.above(losses, batch_size)
        return found is not None and found[1] - found[2] > self.excess


def read(source: Path) -> LossCurve:
    """Read a curve from JSON.

    Raises:
        ValueError, KeyError, TypeError: it is not of the format.

    """
    data = json.loads(source.read_text("utf-8"))
    if data["format"] != FORMAT:
        raise ValueError(f"{source}: format {data['format']}, this program reads {FORMAT}")
    if not data["losses"]:
        raise ValueError(f"{source}: a curve of no losses")
    return LossCurve(
        batch_size=int(data["batch_size"]),
        losses=tuple((int(step), float(loss)) for step, loss in data["losses"]),
        judged_at=int(data["judged_at"]),
        window=int(data["window"]),
        excess=float(data["excess"]),
        versions={str(k): str(v) for k, v in dict(data["versions"]).items()},
    )


def _mean(points: Sequence[tuple[float, float]], after: float, end: float) -> float | None:
    """Return the mean loss of steps in (after, end]; a point covers the steps since the last."""
    total = weight = 0.0
    before = 0.0
    for step, loss in points:
        inside = min(step, end) - max(before, after)
        if inside > 0:
            total += inside * loss
            weight += inside
        before = step
    return total / weight if weight else None
