"""Ours: `course class make` once, and `course class grade` for all submissions in one go."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grading.submissions import Example
from grading.tool import Done, Scores, Setting, Work

LESSON = ("ch8-4", "pt")
RUBRIC = """format = 1
epochs = {epochs}
[limits]
seconds = {limit}
cpu_seconds = {limit}
"""
COURSE = [sys.executable, "-m", "course"]


@dataclass(frozen=True)
class Class:
    """A class on disk: the submissions, and a gradebook in which nothing is graded yet."""

    folder: Path
    submissions: Path
    fresh: Path

    def gradebook(self, name: str) -> Path:
        """Copy the gradebook to another name, replacing what was there."""
        path = self.folder / name
        for old in self.folder.glob(f"{name}*"):
            old.unlink()
        shutil.copyfile(self.fresh, path)
        return path

    def command(self, gradebook: Path, *options: str) -> list[str]:
        """Return the command that grades the submissions into a gradebook."""
        return [*COURSE, "class", "grade", str(self.submissions), "--db", str(gradebook), *options]


def make(examples: list[Example], folder: Path) -> Class:
    """Hand out the exercise with all its bugs, and put in what came back."""
    lesson, framework = LESSON
    roster, fresh, back = folder / "roster.csv", folder / "fresh.db", folder / "submissions"
    rows = "".join(f"{e.student},{e.student},en\n" for e in examples)
    roster.write_text(f"id,name,lang\n{rows}")
    words = ["make", lesson, "--fw", framework, "--students", str(roster)]
    words += ["--out", str(folder / "handed-out"), "--db", str(fresh)]
    done = subprocess.run([*COURSE, "class", *words], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    for example in examples:
        path = back / example.student / f"{lesson}-{framework}.py"
        path.parent.mkdir(parents=True)
        path.write_text(example.text)
    return Class(folder, back, fresh)


def prepare(examples: list[Example], setting: Setting) -> Work:
    """Make the class; what grades it."""
    made = make(examples, setting.folder)

    def grade() -> Done:
        document = run(made.command(made.gradebook("gradebook.db"), *jobs(setting)), made.folder)
        return Done(scores(document), training(document))

    return grade


def options(setting: Setting) -> list[str]:
    """How all runs of the benchmark grade."""
    rubric = setting.folder / "rubric.toml"
    rubric.write_text(RUBRIC.format(limit=setting.limit, epochs=float(setting.epochs)))
    return ["--rubric", str(rubric), "--json"]


def jobs(setting: Setting) -> list[str]:
    """Return the options of a run on this machine: those of all runs, and the number of jobs."""
    return [*options(setting), "--jobs", str(setting.jobs)]


def run(command: list[str], folder: Path) -> dict[str, Any]:
    """Run one grading and return its JSON document."""
    log = folder / "grade.log"
    with log.open("wb") as stream:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=stream)
    if done.returncode not in (0, 1):
        raise SystemExit(log.read_text(errors="replace"))
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def scores(document: dict[str, Any]) -> Scores:
    """Return the points of each student; None where no verdict was reached."""
    return {
        s["student"]: None if s["status"] == "internal-error" else s["score"]
        for s in document["submissions"]
    }


def training(document: dict[str, Any]) -> float:
    """CPU seconds of all trainings together, that of the lesson's own solution among them."""
    graded = [*document["submissions"], *document["solutions"]]
    return sum(each.get("training_seconds") or 0.0 for each in graded)
