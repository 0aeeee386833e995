"""What is heard of runs of ch3-4: a healthy one, and ways in which it may go otherwise.

`OWN` mends its bugs in words of a student's own.
"""

from typing import Any

from course.exercise import patch
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from tests import ledgers
from tests.vital_signs import vitals

PART = lesson.load("ch3-4").parts["pt"]
BUGS = {bug.fault: bug for bug in PART.known}
FAULTS = tuple(bug.fault for bug in PART.bugs)
HIDDEN = "devices-differ"
SILENT = FAULTS[4:]
STEPS = 609
ILL: dict[str, dict[str, dict[str, Any]]] = {
    "gradients-not-cleared": {"gradients": {"left": 1.8}},
    "schedule-out-of-step": {"schedules": {"calls": 3}},
    "dropout-in-evaluation": {"passes": {"dropping": 1}},
    "schedule-too-short": {
        "optimizers": {"rates": [[1, 1.0], *([at, 0.0] for at in range(2, 200))]}
    },
    "no-dropout-in-training": {"passes": {"training": False, "dropping": 0}},
}
"""What else is in the ledger while a silent bug bites."""

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


def figures(**values: float) -> Event:
    """Make the event of these figures."""
    return event("figures", values=values)


def ledger(fault: str = "") -> Event:
    """Make the ledger of a healthy training, or of one in which a silent bug bites."""
    found = ledgers.event(**ILL.get(fault, {}))
    if fault == "no-dropout-in-training":
        found["passes"] = [{**ledgers.PASSES, **ILL[fault]["passes"]}, ledgers.ASKED]
    return found


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


def healthy(fault: str = "", *, accuracy: Any = 0.9) -> list[Event]:
    """Make a run that comes to its end, whether or not a silent bug bites."""
    said = accuracy if isinstance(accuracy, float) else None
    last = [evaluate(accuracy), trained(), vitals(accuracy=said), END]
    return [START, train(), LOSS, ledger(fault), *last]


def shows(fault: str) -> list[Event]:
    """Make a run in which a fault bites: it raises, or is stopped for what it shows."""
    if fault not in ILL:
        return [START, known(fault), FAILED]
    return [START, train(), LOSS, ledger(fault), STOPPED, trained(60, 480), END]


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
