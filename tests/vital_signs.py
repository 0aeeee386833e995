"""The vital signs of a healthy training, as its process writes them; made up, but of one piece."""

from typing import Any

from course.runs import vital_signs
from course.runs.vital_signs import VitalSigns


def vitals(
    *,
    accuracy: float | None = 0.9,
    labels: dict[str, int] | None = None,
    seen: dict[str, int] | None = None,
    split: str = "validation",
    tensors: int = 41,
) -> dict[str, Any]:
    """The event: of `labels` that were evaluated and `seen` in training, counts by class."""
    labels, seen = labels or {"0": 100, "1": 200}, seen or {"0": 540, "1": 1080}
    rows, examples = sum(labels.values()), sum(seen.values())
    baseline = max(labels.values()) / rows
    group = {"name": "bert", "parameters": tensors, "learning": tensors, "held": tensors}
    model = {
        **{"parameters": tensors, "learning": tensors, "held": tensors, "moved": tensors},
        **{"moved_share": 1.0, "held_share": 1.0, "moved_by": 0.01, "first_moved": 1},
        **{"passes": 609, "backwards": 609, "steps": 609},
        **{"without_gradient": 0.0, "cleared_before_step": 0.0, "evaluated_is_trained": 1},
        "groups": [{**group, "moved": tensors, "moved_by": 0.01}],
    }
    found = {"rows": rows, "examples": rows, "overlap": 0.0, "labels": labels, "split": split}
    found |= {"classes": len(labels)}
    found |= {"baseline": baseline, "compared": 96, "accuracy_before": 0.4, "loss_before": 1.2}
    if accuracy is not None:
        found |= {"accuracy": accuracy, "margin": accuracy - baseline}
        found |= {"accuracy_after": accuracy, "gain": accuracy - 0.4, "loss_gain": 0.5}
    return {
        "event": "vitals",
        "model": model,
        "loss": {"first": 1.1, "last": 0.4, "finite": 1.0},
        "rate": {"highest": 5e-5, "usual_low": 1e-5, "usual_high": 1e-4},
        "data": {
            **{"rows": 3 * examples, "examples": examples, "repeats": 3.0, "labels": seen},
            **{"classes": len(seen), "split": "train"},
        },
        "outcome": found,
    }


def signs(**changes: Any) -> VitalSigns:
    """The same as they are read."""
    return vital_signs.read(vitals(**changes))
