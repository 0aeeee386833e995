"""The cells that look into a stopped run, stage by stage: what to look for, never the answer."""

from collections.abc import Iterator

from course.base.i18n import N_, _
from course.base.texts import sentences
from course.lesson.catalogue import STAGES, catalogue
from course.lesson.lesson import HEALTHY, Part
from course.notebook.cells import generated
from course.notebook.document import CellDict, cell

HEADING = N_("Inspect the run")
ABOUT = N_(
    "Run these cells when a run has stopped. They examine its variables, one stage after the "
    "other, from the data to the evaluation. Some cells fail because an earlier stage is wrong. "
    "This is a clue, too."
)
SEEK = sentences("looks")
"""What to look for at each stage of the pipeline."""
TRAINED = N_("When the training runs to the end")
ABOUT_TRAINED = N_(
    "Run these cells when the training has ended. Even if no error was raised, the model may have "
    "learned nothing. Does the loss fall? Are the answers better than random guessing? Do they "
    "differ? Can a new model memorize one batch?"
)


SHOWS = N_("What this shows in the lesson")
"""Opens what is said of a look: it is about the step's fault, and so it may give one away."""


def cells(part: Part) -> Iterator[CellDict]:
    """Yield the cells of all the looks of a part, each look once, in the order of the steps."""
    yield prose(f"## {_(HEADING)}\n{_(ABOUT)}")
    found_looks = _by_stage(part)
    trained = found_looks.pop(HEALTHY)
    for stage, found in found_looks.items():
        if found:
            name = _(STAGES[stage])
            yield prose(f"### {name[:1].upper()}{name[1:]}\n{_(SEEK[stage])}")
            yield from _looks(found)
    yield prose(f"## {_(TRAINED)}\n{_(ABOUT_TRAINED)}")
    yield _look("%course loss")
    yield from _looks(trained)


def prose(source: str) -> CellDict:
    """Make a Markdown cell that is marked as generated."""
    return cell("markdown", source, generated.mark("text", source))


def _looks(found: dict[str, list[str]]) -> Iterator[CellDict]:
    """Each look, and before it what its captions say, to be opened by whoever wants to know."""
    for code, captions in found.items():
        told = "\n\n".join(_(caption) for caption in captions)
        yield prose(f"<details><summary>{_(SHOWS)}</summary>\n\n{told}\n\n</details>")
        yield _look(code)


def _look(source: str) -> CellDict:
    return cell("code", source, generated.mark("look", source))


def _by_stage(part: Part) -> dict[str, dict[str, list[str]]]:
    """Return the looks by the stage of their step, the last step's apart: code and captions."""
    stages: dict[str, dict[str, list[str]]] = {}
    known: dict[str, list[str]] = {}
    for step in part.steps:
        stage = catalogue()[step.fault].stage if step.fault else HEALTHY
        found = stages.setdefault(stage, {})
        for look in part.looks_at(step.id):
            if look.code not in known:
                known[look.code] = found[look.code] = []
            if look.caption not in known[look.code]:
                known[look.code].append(look.caption)
    return stages
