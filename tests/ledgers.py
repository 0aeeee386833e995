"""The event `ledger` of a small healthy training, with changes."""

import copy
from typing import Any

PASSES: dict[str, Any] = {
    "network": 1,
    "line": 12,
    "training": True,
    "grad": True,
    "names": ["0"],
    "shapes": [[16, 20]],
    "kinds": ["float32"],
    "reached": 200,
    "reached_rows": 3200,
    "aside": 0,
    "aside_rows": 0,
    "graphs": 0,
    "stretches": 0,
    "first": 0,
    "last": 199,
    "modes": 8,
    "dropping": 8,
    "norming": 0,
    "seen": None,
}
SEEN = {
    **{"rows": 100, "known": 0, "again": 0, "distinct": 100, "all": 0},
    **{"last_rows": 100, "last_known": 0},
    **{"mixed": 0, "mixed_known": 0, "mixed_rows": 0},
}
ASKED: dict[str, Any] = {
    **PASSES,
    **{"line": 20, "training": False, "grad": False, "reached": 0, "reached_rows": 0},
    **{"aside": 5, "aside_rows": 100, "stretches": 1, "first": 200, "last": 200, "modes": 1},
    **{"dropping": 0, "seen": SEEN},
}
STUDIED: dict[str, Any] = {
    "graph": [{"op": "NllLoss", "shape": []}, {"op": "LogSoftmax", "dim": 1, "shape": [16, 2]}],
    **{"targets": [[16]], "met_by": [[16, 2]], "target_moves": [2.0], "known": [0.2, 1.5]},
    **{"rows_apart": [0.0, 0.0], "class_axis": {"found": [1], "fitting": [1]}},
    **{"curvature": [1.0, 1.0], "log_sum": 0.0, "lowest": [0.0, 0.0], "constant": 0.69},
    **{"rows_move_evaluation": 0.0, "places_move": 0.0, "answers_lost": 0.0, "inputs_finite": True},
    **{"later_moves": 0.0, "places_ahead": 1, "padding_moves": 0.0, "padding_in_loss": 0.0},
    "along": [[0.0, 0.5], [0.01, 0.499], [0.1, 0.49], [1.0, 0.45], [10.0, 0.3], [100.0, 2.0]],
    **{"rows_by_rows": 0, "softmax_of_one": 0, "kl_log_sum": 0.0, "ignored_share": 0.2},
    **{"labels_of_a_row": 1, "zeros_for_signs": 0.0, "own_wins": 0.0, "as_deviations": 0},
    **{"best_left": 0.0, "bound": 20.0},
    **{"cut": [], "reach": 0.1, "held_at_zero": 0},
    "columns": [[[16, 8], 2.0, False]],
    "modes": {"training": 1.0, "evaluation": 0.0, "apart": 1.0, "dropped": 0},
    **{"outputs": [[100, 2]], "finite": True, "inputs_largest": 1.0, "inputs_measured": 1},
    "chosen": [{"op": "argmax", "shape": [100, 2], "axis": 1}],
    "compared": [{"answers": [100], "targets": [100], "made": [100]}],
    "limits": [],
}
"""What is found of a healthy step, and of a healthy evaluation."""
HEALTHY: dict[str, Any] = {
    "event": "ledger",
    "over": True,
    "backwards": 200,
    "steps": 200,
    "networks": [
        {
            **{"id": 1, "class": "Net", "tensors": 4, "numbers": 738, "dropouts": 1, "norms": 0},
            **{
                "held": True,
                "frozen": 0,
                "drawn": 0,
                "rows": 3200,
                "passed": 3200,
                "distinct": 320,
                "pairs": 24000,
            },
            **{"twins": 0, "unfrozen": 0, "momentum": 0.1, "rarest": 1.0},
        }
    ],
    "passes": [PASSES, ASKED],
    "losses": [
        {
            **{"line": 13, "count": 200, "not_finite": 0, "first_not_finite": 0},
            **{"looks": 8, "hand_looks": 0, "hand_moved": 0, "drifts": 0},
            **{"leaves": 4, "loose": 0, "unregistered": 0, "unstepped": 0},
            "graphs": 0.0,
            "begin": [0.7 + at % 2 / 50 for at in range(20)],
            "series": [[at, 0.7 - at / 600 + at % 2 / 50] for at in range(200)],
        }
    ],
    "optimizers": [
        {
            **{"id": 1, "class": "Adam", "line": 14, "steps": 200, "idle": 0, "closures": 0},
            **{"tensors": 4, "without": 0, "looks": 8},
            "rates": [[at, 0.01 * (201 - at) / 200] for at in range(1, 201)],
        }
    ],
    "schedules": [
        {"class": "CosineAnnealingLR", "line": 14, "calls": 200, "steps": 200}
        | {"length": 200, "ends": True}
    ],
    "gradients": [
        {
            **{"step": step, "optimizer": 1, "backwards": 1, "parameters": 4},
            **{"absent": 0, "norm": 2.0, "left": 0.0, "added": 2.0, "between": 0.0},
            **{"moved": 0.1, "size": 3.0},
        }
        for step in (1, 2, 3, 10, 20, 50)
    ],
    "kin": [],
    "loads": [{"line": 22, "class": "Net", "times": 1, "own": 0, "unfit": 0}],
    "studies": [
        {"kind": kind, "at": at, "network": 1, "line": line, "found": STUDIED}
        for kind, at, line in (("step", 2, 13), ("step", 200, 13), ("evaluation", 400, 20))
    ],
}


def event(**changes: dict[str, Any]) -> dict[str, Any]:
    """The event, with values of each entry of a part changed: `passes` are the evaluation's."""
    found = copy.deepcopy(HEALTHY)
    for part, values in changes.items():
        for each in found[part][1:] if part == "passes" else found[part]:
            each.update(values)
    return found


def at_lines(text: str, call: str) -> dict[str, Any]:
    """The event of a script that trains in the first line with a call, and asks in the last."""
    lines = [at for at, line in enumerate(text.splitlines(), 1) if call in line]
    found = copy.deepcopy(HEALTHY)
    for passes, line in zip(found["passes"], (lines[0], lines[-1]), strict=True):
        passes["line"] = line
    return found
