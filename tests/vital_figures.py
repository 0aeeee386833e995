"""The names of all figures that vital signs, and a lesson beside a run, can give."""

from dataclasses import fields
from types import NoneType
from typing import Any, get_args, get_type_hints

from course.judge.measures import lesson_figures
from course.lesson.lesson import Outcome
from course.runs.record import Evaluation, RunRecord, Training
from course.runs.vital_signs import VitalSigns, read


def _numbers(kind: type) -> dict[str, Any]:
    """Each field of a part that is a number, a word or None, with something in it."""
    kinds = {name: get_args(hint) for name, hint in get_type_hints(kind).items()}
    return {name: of[0](1) for name, of in kinds.items() if NoneType in of}


FIGURES = frozenset(
    dict(read({part.name: _numbers(type(part.default)) for part in fields(VitalSigns)}).figures())
)
RUN = RunRecord(
    "finished",
    training=Training(examples=9, batch_size=3, steps=3, labels={"0": 5, "1": 4}),
    evaluations=(Evaluation(3, {"eval_accuracy": 0.5}, 4, {"0": 2, "1": 2}),),
)
LESSON_FIGURES = frozenset(lesson_figures(RUN, Outcome("accuracy", 0.1, 2, 9, 4)))
