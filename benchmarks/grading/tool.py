"""What all graders of the comparison have in common."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grading.meter import Cost
from grading.submissions import Example

HOOK = Path(__file__).parent / "inside"
Scores = dict[str, float | None]
"""The points that a grader gave each student; None where it gave no verdict."""


@dataclass(frozen=True)
class Setting:
    """Where and how graders run: an empty folder, the variables that lead to the offline data.

    `limit` is in seconds; `jobs` is how many submissions are graded side by side; `epochs` is how
    long a healthy submission trains.
    """

    folder: Path
    environment: Mapping[str, str]
    limit: float = 20.0
    jobs: int = 2
    epochs: float = 1.0

    @property
    def journal(self) -> Path:
        """What the processes of a grader write down about themselves."""
        return self.folder / "journal.jsonl"

    def hooked(self, python: str = sys.executable) -> dict[str, str]:
        """Return the variables for another grader, with the hook that watches the training."""
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        folders = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")
        return {
            **self.environment,
            **{name: str(self.folder / name.lower()) for name in folders},
            # As in an activated environment: they start programs of their own by name.
            "PATH": os.pathsep.join([str(Path(python).parent), self.environment["PATH"]]),
            "GRADING_JOURNAL": str(self.journal),
            "PYTHONPATH": str(HOOK),
            "TMPDIR": str(temporary),
        }


@dataclass(frozen=True)
class Done:
    """What a grader came to; `training` are CPU seconds, None where the hook measures them."""

    scores: Scores
    training: float | None = None


Work = Callable[[], Done]


@dataclass(frozen=True)
class Grader:
    """One grader of the comparison.

    `prepare` writes what it needs and gives what is to be measured. With `watched`, it has no time
    limit of its own, and the meter stops what is overdue.
    """

    label: str
    prepare: Callable[[list[Example], Setting], Work]
    watched: bool = False


@dataclass(frozen=True)
class Result:
    """What came of it: the scores, and the cost."""

    label: str
    scores: Scores
    cost: Cost

    def right(self, examples: list[Example]) -> int:
        """How many scores are those that the submission was made for."""
        return sum(self.scores.get(e.student) == e.score for e in examples)


def split(examples: list[Example], jobs: int) -> list[list[Example]]:
    """Deal the submissions out to this many workers."""
    return [part for part in (examples[i::jobs] for i in range(jobs)) if part]


def versions(python: str, *packages: str) -> str:
    """Return the versions of packages that an interpreter has."""
    code = "import json,sys\nfrom importlib.metadata import version\n"
    code += "print(json.dumps({p: version(p) for p in sys.argv[1:]}))"
    done = subprocess.run([python, "-c", code, *packages], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{python} has not all of {', '.join(packages)}:\n{done.stderr}")
    return ", ".join(f"{name} {number}" for name, number in json.loads(done.stdout).items())
