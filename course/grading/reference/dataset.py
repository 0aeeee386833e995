"""Data drawn for one grading: what the box is given to train on, and what nobody in it sees."""

import json
import runpy
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from course.base import paths
from course.lesson.lesson import Exam, Part
from course.runs import hub
from course.runs.environment.runtime import Runtime

Ids = tuple[int, ...]
TRAIN, EVALUATION, UNSEEN = "train", "evaluation", "unseen"


SHORTEST = 16
"""Tokens that must be left of an example that was cut off."""


@dataclass(frozen=True)
class Split:
    """Examples: their token ids and their labels, in order."""

    ids: tuple[Ids, ...]
    labels: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def baseline(self) -> float:
        """The accuracy of always answering with the most frequent label."""
        return max(self.labels.count(label) for label in set(self.labels)) / len(self.labels)


@dataclass(frozen=True)
class Drawn:
    """What was drawn, by what it is for: training, evaluation, unseen, and the other splits.

    `config` are the settings of the checkpoint in the hub with these data. `labels` is how many
    different labels there are.
    """

    splits: Mapping[str, Split]
    config: Mapping[str, Any]
    labels: int

    def where(self, ids: Ids) -> str | None:
        """Which split holds an example of these token ids, cut off or not; None where none does."""
        return self._found(ids)[0]

    def label(self, ids: Ids) -> int | None:
        """Return the label of the example with these token ids; None where no split has it."""
        return self._found(ids)[1]

    def _found(self, ids: Ids) -> tuple[str | None, int | None]:
        return self._index.get(ids) or self._cut_off(ids) or (None, None)

    def _cut_off(self, ids: Ids) -> tuple[str, int] | None:
        """Find the example that a tokenizer has cut off to these ids: each text at its end.

        None where several examples with other labels begin alike.
        """
        if len(ids) < SHORTEST:
            return None
        parts = _texts_of(ids, ids[-1])
        found = {
            split_and_label
            for whole, split_and_label in self._index.items()
            if len(whole) > len(ids) and _begins(_texts_of(whole, ids[-1]), parts)
        }
        return found.pop() if len(found) == 1 else None

    def is_beginning(self, ids: Ids) -> bool:
        """Whether an example begins so, each of its texts by a word at least; which, is unknown."""
        parts = _texts_of(ids, ids[-1]) if ids else []
        # What stands before the first text is no word of it.
        words = [len(part) - (number == 0) for number, part in enumerate(parts)]
        return (
            bool(words)
            and min(words) > 0
            and any(_begins(_texts_of(whole, ids[-1]), parts) for whole in self._index)
        )

    @cached_property
    def _index(self) -> Mapping[Ids, tuple[str, int]]:
        index: dict[Ids, tuple[str, int]] = {}
        # Sentences without words in common with others can't be told apart: the first one counts.
        for name, split in self.splits.items():
            for ids, label in zip(split.ids, split.labels, strict=True):
                index.setdefault(ids, (name, label))
        return index


def _texts_of(ids: Ids, end: int) -> list[Ids]:
    """Return the texts of an example, each of which ends with the token `end`."""
    texts: list[Ids] = []
    at = 0
    for number, each in enumerate(ids):
        if each == end:
            texts.append(ids[at:number])
            at = number + 1
    return texts


def _begins(whole: list[Ids], parts: list[Ids]) -> bool:
    """Whether each text begins as its part does."""
    return len(whole) == len(parts) and all(
        w[: len(p)] == p for w, p in zip(whole, parts, strict=True)
    )


def draw(part: Part, exam: Exam, runtime: Runtime, seed: str, place: Path) -> Drawn:
    """Draw data and lay them out in a folder that has none yet; the hub in its `hub`.

    The same seed draws the same data.

    Raises:
        UserError: there is no room for them.
        RuntimeError: the runtime's libraries could not read them.

    """
    # The folder of a configuration, whose data the drawn ones replace.
    shipped = next((paths.lessons() / "hub" / "datasets").glob(f"*/{exam.draw}"))
    data = place / "data" / shipped.parent.name / shipped.name
    data.mkdir(parents=True)
    for described in shipped.parent.glob("*.md"):
        shutil.copy(described, data.parent)
    # The module of the embedded hub that makes sentences.
    generator = runpy.run_path(str(paths.lessons() / "hub" / "make" / "sentences.py"))
    pairs = generator["drawn"](f"{part.lesson} {part.framework} {seed}")
    for name, rows in pairs.items():
        with (data / f"{name}.jsonl").open("w", encoding="utf-8", newline="\n") as file:
            for i, row in enumerate(rows):
                texts = dict(zip(exam.texts, (row.premise, row.hypothesis), strict=True))
                print(json.dumps({**texts, "label": row.label, "idx": i}), file=file)
    home = place / "hub"
    home.mkdir(exist_ok=True)
    tokenized = hub.fresh(runtime, home, place / "data", exam.texts, exam.checkpoint)
    ids = {file.name.removesuffix(".ids.json"): file for file in tokenized}
    roles = {split: role for role, split in exam.splits.items()}
    splits = {
        roles.get(name, name): Split(
            tuple(tuple(row) for row in json.loads(ids[name].read_text("utf-8"))),
            tuple(row.label for row in rows),
        )
        for name, rows in pairs.items()
    }
    shutil.rmtree(place / "data")
    config = next(home.glob(f"hub/models--{exam.checkpoint}/snapshots/*/config.json"))
    known = json.loads(config.read_text("utf-8"))
    return Drawn(splits, known, len(set(splits[TRAIN].labels)))
