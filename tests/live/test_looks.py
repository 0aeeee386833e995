"""What the captions of the looks say is so: whatever the seed, in every step that shows them.

What a look shows may hang on chance where the script has come to its model: a new head is random,
batches are shuffled, dropout is on. Those steps are taken with twenty seeds. Before that, a look
sees the data as they lie on the disk, and in `ch3-4-accelerate` it sees the script's own lines and
tensors of their own: two seeds show that these depend on none.

A look sees what the whole training has made only where that is what it tells of. Where the script
fails after it, or measures it wrongly, a few steps lead to the same place (`SHORTER`).
"""

import re
from functools import cache
from typing import Any

import pytest

from course.authoring import lesson_check
from course.judge.verdict import judge, should_stop
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Part, Step
from course.lesson.signature import SilentSignature
from course.runs import hub
from course.runs.environment import runtime
from course.runs.process import Job
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm
from tests.tiers import sample

SEEDS = 20
EVERYDAY = {("ch3-4", "gradients-not-cleared")}
"""A step that takes a second and shows batches; the walks of the live tier take others."""
SHORTER = {
    ("ch3-3", "size-1-array"): ("num_train_epochs=2", "max_steps=8"),
    ("ch3-4", "dropout-in-evaluation"): ("epochs = 3", "epochs = 1"),
    ("ch8-4", "size-1-array"): ('eval_strategy="epoch"', 'eval_strategy="steps", eval_steps=8'),
}
"""Steps whose looks are taken after a training, and do not tell of what it has come to: what to
put in place of its length."""
PARTS = [part for name in lesson.ids() for part in lesson.load(name).parts.values()]


def is_random(part: Part, step: Step) -> bool:
    """Whether the script comes to its model at this step, so that chance has its part."""
    if part.lesson == "ch3-4-accelerate":
        return False
    fault = catalogue()[step.fault] if step.fault else None
    if fault is None or any(isinstance(s, SilentSignature) for s in fault.signatures):
        return True
    return fault.stage in ("model", "optimizer", "evaluation")


STEPS = [
    (part, step, seed)
    for part in PARTS
    for step in part.steps
    if step.device != "cuda"
    for seed in range(SEEDS if is_random(part, step) else 2)
]
CASES = sample(
    STEPS,
    lambda _n, case: case[2] == 0 and (case[0].lesson, case[1].id) in EVERYDAY,
    spread=True,
)


@cache
def place(framework: str, lesson_id: str) -> RunContext:
    part = lesson.load(lesson_id).parts[framework]
    found = runtime.find(framework, part.requires)
    return RunContext(found, hub.embedded(found), warm=Warm(found, part.imports))


def seeded(text: str, seed: int) -> str:
    """Give the script another seed wherever it sets one."""
    text, times = re.subn(r"(set_seed|set_random_seed)\(\d+\)", rf"\1({seed})", text)
    assert times
    return re.sub(r"(TrainingArguments\()", rf"\1seed={seed}, output_dir=", text)


def shortened(text: str, step: tuple[str, str]) -> str:
    """Shorten the training of a script, where the looks of the step are the same after it."""
    long, short = SHORTER.get(step, ("", ""))
    assert long in text
    return text.replace(long, short) if long else text


def name(value: Any) -> str:
    """Name a part, a step or a seed in the name of a test."""
    if isinstance(value, Part):
        return f"{value.lesson}-{value.framework}"
    return value.id if isinstance(value, Step) else f"seed{value}"


@pytest.mark.parametrize(("part", "step", "seed"), CASES, ids=name)
def test_a_look_shows_what_its_caption_says(part: Part, step: Step, seed: int) -> None:
    looks = part.looks_at(step.id)
    script = shortened(part.text(step.bugs), (part.lesson, step.id))
    job = Job(
        seeded(script, seed),
        lesson_check.look_codes(looks),
        processes=step.processes,
    )
    done = place(part.framework, part.lesson).run(
        job, device="cpu", enough=lambda record: should_stop(record, part.outcome)
    )
    assert judge(step, part.outcome, done.record).problem is None
    found = list(lesson_check.glances(part, looks, done.record))
    assert [each for each in found if each.holds is not True] == []
