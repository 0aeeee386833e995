"""What is heard of runs of ch3-4: a healthy one, and ways in which it may go otherwise.

`OWN` mends its bugs in words of a student's own.
"""

from typing import Any

from course.exercise import patch
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from tests.vital_signs import vitals

PART = lesson.load("ch3-4").parts["pt"]
BUGS = {bug.fault: bug for bug in PART.known}
FAULTS = tuple(bug.fault for bug in PART.bugs)
HIDDEN = "devices-differ"
SILENT = FAULTS[4:]
STEPS = 609
FIGURES = {
    "zero_grad_calls": 609.0,
    "gradient_left_over": 0.0,
    "zero_rate_steps": 0.0,
    "schedule_pace": 1.0,
    "schedule_steps": 609.0,
    "schedule_passes": 3.0,
    "schedule_overrun": 0.0,
    "rate_seen": 0.0,
    "rate_expected": 0.0,
    "rate_off": 0.0,
    "train_mode_share": 1.0,
    "dropout": 0.1,
    "evaluate_mode_share": 0.0,
    "evaluate_passes": 38.0,
}
"""Of a healthy run."""
ILL: dict[str, dict[str, float]] = {
    "gradients-not-cleared": {"gradient_left_over": 0.9, "zero_grad_calls": 0},
    "schedule-out-of-step": {"rate_off": 0.3, "schedule_pace": 0.0},
    "dropout-in-evaluation": {"answers_move": 0.4, "evaluate_mode_share": 1.0},
}
"""What else is measured while a silent bug bites."""

Event = dict[str, Any]


def event(kind: str, **values: Any) -> Event:
    return {"event": kind, **values}


def train(**other: Any) -> Event:
    """Make the event of a training that begins."""
    usual = {
        **{"examples": 1620, "batch_size": 8, "learning_rate": 5e-5, "num_labels": 2},
        **{"labels": {"0": 540, "1": 1080}, "device": "cpu", "optimizer": "AdamW"},
    }
    return event("train", **{**usual, **other})


def figures(**other: float | None) -> Event:
    """Make the figures of a healthy run, but for these; None for one that nobody measured."""
    found = {n: v for n, v in {**FIGURES, **other}.items() if v is not None}
    return event("figures", values=found)


def evaluate(accuracy: Any = 0.9, **other: Any) -> Event:
    """Make the event of an evaluation."""
    usual = {
        **{"step": STEPS, "values": {"eval_accuracy": accuracy, "eval_f1": accuracy}},
        **{"examples": 300, "labels": {"0": 100, "1": 200}},
    }
    return event("evaluate", **{**usual, **other})


def trained(step: int = STEPS, examples: int = 1620) -> Event:
    return event("trained", step=step, seconds=20.0, cpu=18.0, examples=examples)


START = event("start", format=1, versions={"python": "3.11.7"})
LOSS = event("loss", step=9, mean="0.69")
STOPPED = event("stopped")
END = event("end", seconds=20.0, exit=0)
FAILED = event("end", seconds=2.0, exit=1)


def healthy(*, accuracy: Any = 0.9, **other: float | None) -> list[Event]:
    """Make a run that comes to its end, with these figures changed."""
    said = accuracy if isinstance(accuracy, float) else None
    last = [evaluate(accuracy), trained(), vitals(accuracy=said), END]
    return [START, train(), LOSS, figures(**other), *last]


def shows(fault: str) -> list[Event]:
    """Make a run in which a fault bites: it raises, or is stopped for what it shows."""
    if fault not in ILL:
        return [START, known(fault), FAILED]
    begun = [START, train(), LOSS, figures(**{"evaluate_mode_share": None, **ILL[fault]})]
    return [*begun, STOPPED, trained(60, 480), END]


def known(fault: str, kind: str = "exception") -> Event:
    """Make the event of an exception that the catalogue knows."""
    signature: Any = catalogue()[fault].signatures[0]
    words = {"mro": [signature.exception], "message": signature.example, "frames": []}
    return event(kind, type=signature.exception, **words)


def unknown(kind: str, message: str, line: Any = 3, **more: Any) -> Event:
    """Make the event of an exception that it does not know."""
    frame = {
        **{"module": "__main__", "file": "ch3-4-pt.py", "function": "<module>"},
        **{"line": line, "text": "", "script": True, "raises": False},
    }
    name = f"builtins.{kind}"
    given = {"type": name, "mro": [name], "message": message, "frames": [frame], **more}
    return event("exception", **given)


OWN: dict[str, list[tuple[str, str]]] = {
    "removed-import": [
        (
            "from transformers import AdamW, ",
            "from torch.optim import AdamW\nfrom transformers import ",
        )
    ],
    "text-in-batch": [
        (
            "ready.set_format",
            'ready = ready.remove_columns(["sentence1", "sentence2"])\nready.set_format',
        )
    ],
    "missing-labels": [
        (
            '    return tokenizer.pad(examples, return_tensors="pt")\n',
            '    batch = tokenizer.pad(examples, return_tensors="pt")\n'
            '    batch["labels"] = batch.pop("label")\n'
            "    return batch\n",
        )
    ],
    "gradients-not-cleared": [
        ("optimizer.step()\n", "optimizer.step()\n        optimizer.zero_grad()\n")
    ],
    "schedule-out-of-step": [("    schedule.step()\n", "        schedule.step()\n")],
    "dropout-in-evaluation": [("metric = ", "model.eval()\nmetric = ")],
}


def own(text: str, *faults: str) -> str:
    """Mend these bugs of a text in a student's own words."""
    for fault in faults:
        for ours, theirs in OWN[fault]:
            assert text.count(ours) == 1, ours
            text = text.replace(ours, theirs)
    return text


def ours(text: str, *faults: str) -> str:
    """Mend these bugs of a text in our words."""
    for fault in faults:
        text = patch.take_out(text, BUGS[fault])
    return text


UNTOUCHED = PART.text(PART.bugs)
MENDED = PART.text(())
OWN_WAY = own(ours(UNTOUCHED, HIDDEN), *OWN)
"""All bugs out; what no run here can show with our own fix."""
