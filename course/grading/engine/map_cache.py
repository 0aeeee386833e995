"""Results of `Dataset.map` that are made once in a grading, for all submissions that ask for them.

Most submissions leave the exercise's way of tokenizing as it is, and mapping it over thousands of
rows takes longer than all their questions. `datasets` keeps what a map has made, by a hash of the
rows, of the function and of all that it refers to
(https://huggingface.co/docs/datasets/about_cache): whoever maps anything else does it anew.
"""

import contextlib
from typing import Any

from course.grading.engine import adaptations
from course.grading.reference import dataset
from course.lesson.lesson import Exam, Part
from course.runs.child import ProcessLost
from course.runs.sandbox.bubblewrap import JobMailbox, Sandbox

REPAIRED = """
def _map_as_for_rows_that_are_repaired():
    import sys
    if "transformers.trainer" not in sys.modules:
        # There is no Trainer here that could have been given rows without token ids.
        return
    from course_probe.exam.training_data import tokenized
    from datasets import load_dataset
    from transformers import AutoTokenizer

    rows = load_dataset({dataset!r}, {task!r})
    tokenizer = AutoTokenizer.from_pretrained({checkpoint!r})
    for split in {splits!r}:
        tokenized(rows[split], tokenizer, {texts!r})


_map_as_for_rows_that_are_repaired()
"""


def fill(box: Sandbox, part: Part, exam: Exam) -> None:
    """Have a box keep what the lesson's own script maps, up to its training.

    So it does with what the examination maps where a Trainer was given rows without token ids.

    Raises:
        Closed: there are no more turns.
        UserError: the box cannot be started.

    """
    source = dataset.source(exam)
    repaired = REPAIRED.format(
        dataset=source.parent.name,
        task=source.name,
        checkpoint=exam.checkpoint,
        splits=(exam.splits[dataset.TRAIN], exam.splits[dataset.EVALUATION]),
        texts=exam.texts,
    )
    text = repaired + part.text(())
    # The hash of a function tells scripts of other names apart.
    name = f"{part.lesson}-{part.framework}.py"
    # Who asks does without it where the box is lost.
    with contextlib.suppress(ProcessLost):
        box.keep_maps(text.encode(), name, _want_nothing, adapts=adaptations.of(part))


def _want_nothing(event: dict[str, Any], desk: JobMailbox) -> None:
    """Have no questions, and no training."""
    if event["event"] == "ready":
        desk.put("questions.json", [])
    elif event["event"] == "answered":
        desk.put("then.json", {"do": "leave"})
