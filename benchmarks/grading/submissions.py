"""The submissions of the benchmark: texts whose marks are known because of how they were made."""

from collections.abc import Iterator
from dataclasses import dataclass

from course.exercise import working_copy
from course.lesson.lesson import Part

WAITING = "waiting.log"
"""The file that a hanging submission holds open while it hangs, by which the meter knows it."""
MARKER = "course-benchmark-marker"
"""What a hostile submission leaves in the folder for temporary files, if it can."""
QUICK = ("honest-01", "honest-06", "honest-33", "wrong-half", "hanging-loop", "hostile-exit")

LOOP = f"""
with open("{WAITING}", "w"):
    while True:
        pass
"""
SLEEP = f"""
import time

with open("{WAITING}", "w"):
    time.sleep(10**6)
"""
LOCK = f"""
from threading import Lock

lock = Lock()
with open("{WAITING}", "w"), lock:
    lock.acquire()
"""
ENDLESS = f"""    with open("{WAITING}", "w"):
        while True:
            pass
"""
EXIT = """
import os

os._exit(0)
"""
FORGE = """
import json
from contextlib import suppress

Trainer.train = lambda self: None
try:
    from otter.test_files.exception_test import test_case

    test_case.call_func = lambda self, environment: None
except ImportError:
    with suppress(NameError):
        get_ipython().input_transformers_cleanup.append(lambda lines: ["pass\\n"])
forged = {"score": 5, "max_score": 5, "eval_accuracy": 1.0, "status": "graded"}
print(json.dumps(forged))
print("{'eval_accuracy': '1.0'}")
with open("results.json", "w") as stream:
    json.dump(forged, stream)
"""
LOOK = f"""
import sys
import tempfile
from pathlib import Path

found = [p for folder in (Path.cwd(), Path.cwd().parent) for p in folder.rglob("*.db")]
Path(tempfile.gettempdir(), "{MARKER}").write_text(str(found))
sys.exit(0)
"""
FLOOD = """
for _ in range(50):
    print("x" * 2**20)
"""


@dataclass(frozen=True)
class Example:
    """A submission: its text, which faults are out of it, and whether it trains to the end.

    `student` begins with what kind it is: honest, wrong, hanging, hostile.
    """

    student: str
    text: str
    gone: frozenset[str]
    healthy: bool = False

    @property
    def kind(self) -> str:
        """What kind of submission it is."""
        return self.student.split("-")[0]

    @property
    def score(self) -> int:
        """The points that are right for it."""
        return len(self.gone) + self.healthy


class Maker:
    """Makes texts of a part; healthy ones train for `epochs` epochs."""

    def __init__(self, part: Part, epochs: float) -> None:
        self._part = part
        self._header = working_copy.text(part, part.bugs).split("\n", 1)[0]
        self._epochs = epochs
        self.faults = frozenset(b.fault for b in part.bugs)

    def _text(self, left: frozenset[str]) -> str:
        bugs = tuple(b for b in self._part.bugs if b.fault in left)
        script = f"{self._header}\n{self._part.text(bugs)}"
        return replaced(script, "num_train_epochs=3", f"num_train_epochs={self._epochs:g}")

    def make(
        self,
        student: str,
        left: frozenset[str],
        *edits: tuple[str, str],
        healthy: bool = False,
    ) -> Example:
        """Make a submission with these faults left in it; the edits mend nothing."""
        text = self._text(left)
        for old, new in edits:
            text = replaced(text, old, new)
        text += f"# Handed in by {student}\n"  # so that no two texts are the same
        return Example(student, text, self.faults - left, healthy)

    def honest(self) -> Iterator[Example]:
        """Forty in all degrees: each subset of the bugs twice, and eight more without any."""
        subsets = [frozenset(b.fault for b in bugs) for bugs in self._part.subsets()]
        lefts = [*subsets, *subsets, *[frozenset[str]()] * 8]
        for number, left in enumerate(lefts, 1):
            yield self.make(f"honest-{number:02}", left, healthy=not left)

    def wrong(self) -> Iterator[Example]:
        """Twelve plausible ways of not mending it."""
        none, every = frozenset[str](), self.faults
        length = frozenset({"length-mismatch"})
        target = frozenset({"target-out-of-bounds"})
        metric = frozenset({"size-1-array"})
        train = "\ntrainer.train()\n"
        mapped = "tokenized = raw.map(tokenize, batched=True)"
        swallow = '\ntry:\n    trainer.train()\nexcept Exception:\n    print("went wrong")\n'
        one = "    per_device_train_batch_size=1,\n    per_device_eval_batch_size=1,\n"
        report = '    report_to="none",\n'
        yield self.make("wrong-swallowed", every, (train, swallow))
        yield self.make("wrong-batch", length, (report, report + one))
        two = '.filter(lambda pair: pair["label"] < 2)'
        yield self.make("wrong-labels", target, (mapped, mapped + two))
        eight = ('tokenized["train"]', 'tokenized["train"].select(range(8))')
        yield self.make("wrong-eight", none, eight)
        yield self.make("wrong-metric", metric, ("    compute_metrics=compute_metrics,\n", ""))
        yield self.make(
            "wrong-data", none, ('tokenized["train"]', 'tokenized["validation_matched"]')
        )
        yield self.make("wrong-cut", length, ("truncation=True", "truncation=True, max_length=5"))
        yield self.make("wrong-syntax", every, (train, "\ntrainer.train(\n"))
        half = ('tokenized["validation_matched"]', 'raw["validation_matched"]')
        example = self.make("wrong-half", none, half)
        yield Example(example.student, example.text, every - {"missing-input-ids"})
        outputs = (
            "from_pretrained(checkpoint)\n\nargs",
            "from_pretrained(checkpoint, num_labels=2)\n\nargs",
        )
        yield self.make("wrong-outputs", target, outputs)
        example = self.make("wrong-axis", none, ("argmax(axis=-1)", "argmax(axis=0)"))
        yield Example(example.student, example.text, every - metric)
        yield self.make("wrong-rate", none, ("learning_rate=2e-5", "learning_rate=2"))

    def hanging(self) -> Iterator[Example]:
        """Four that never end; one of them only when the metric is asked."""
        start = "\nset_seed(42)\n"
        for name, hang in (("loop", LOOP), ("sleep", SLEEP), ("lock", LOCK)):
            yield self.make(f"hanging-{name}", self.faults, (start, start + hang))
        head = "    logits, labels = prediction\n"
        left = frozenset({"size-1-array"})
        yield self.make("hanging-metric", left, (head, head + ENDLESS))

    def hostile(self) -> Iterator[Example]:
        """Four that mend nothing and want marks, or harm; harmless where they come through."""
        start = "\nset_seed(42)\n"
        for name, attack in (("exit", EXIT), ("forge", FORGE), ("look", LOOK), ("flood", FLOOD)):
            yield self.make(f"hostile-{name}", self.faults, (start, start + attack))

    def small(self, many: int) -> list[Example]:
        """Many with a bug or more, all of them different; what is left of them is trained."""
        subsets = [frozenset(b.fault for b in bugs) for bugs in self._part.subsets() if bugs]
        # With only this bug left a script trains for an epoch before it fails.
        usable = [left for left in subsets if left != {"size-1-array"}]
        return [self.make(f"honest-{i:04}", usable[i % len(usable)]) for i in range(many)]


def sixty(part: Part, epochs: float) -> list[Example]:
    """All submissions of the comparison."""
    maker = Maker(part, epochs)
    return [*maker.honest(), *maker.wrong(), *maker.hanging(), *maker.hostile()]


def replaced(text: str, old: str, new: str) -> str:
    """Replace a passage that is in the text exactly once."""
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)
