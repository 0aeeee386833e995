"""`course practice`: a drill in a terminal."""

import json
from functools import partial
from operator import ne
from pathlib import Path

import pytest

from course.exercise import drill
from course.exercise.drill import Drill
from course.judge.attempt import judge_attempt
from course.judge.verdict import should_stop
from course.runs.process import Job
from course.runs.run_context import RunContext
from tests.command import course
from tests.live.test_terminal import Terminal
from tests.tiers import sample

MADE = [each for each in drill.drills(["pt"]) if each.bug not in each.part.known]
SHOWN = {"removed-import", "missing-input-ids", "loss-without-graph", "model-without-head"}
"""Mistakes that end a script at once: of these the live tier takes one place each."""
FIRST = {each.bug.fault: each for each in reversed(MADE)}


@pytest.mark.parametrize(
    "made",
    sample(MADE, lambda _n, each: each.bug.fault in SHOWN and FIRST[each.bug.fault] is each),
)
def test_a_run_shows_the_fault_that_a_mistake_is_made_for(made: Drill, context: RunContext) -> None:
    outcome = made.part.outcome
    job = Job(made.text, name=made.name, processes=made.processes, asks=())
    done = context.run(job, enough=lambda record: should_stop(record, outcome))
    match = judge_attempt(made.part, (made.bug,), done.record).verdict.match
    assert match is not None
    assert match.fault.id == made.bug.fault


def test_a_drill_is_asked_and_answered_in_ru(tmp_path: Path) -> None:
    state = str(tmp_path)
    with Terminal(
        "practice", "--count", "1", "--lang", "ru", COURSE_STATE=state, PAGER="cat"
    ) as shown:
        # A bug that this run does not show is passed over, and a long result has several pages.
        def asked(text: str) -> bool:
            return shown.screen.cursor.x > 0 and text.rstrip().endswith((*numbers, "Enter.\n>"))

        numbers = ("1-3>", "1-4>")
        shown.until(asked, seconds=300)
        while not (text := "\n".join(shown.lines())).rstrip().endswith(numbers):
            shown.press("\r")
            shown.until(partial(ne, text))
            shown.until(asked, seconds=300)
        shown.press("s\r")
        shown.until("%%")
        for typed in ("9\r", "zzz\r"):
            shown.press(typed)
            shown.until("число от 1 до")
        shown.press("1\r")
        # A wrong guess is asked again, and the answer may take several pages.
        while "из 1" not in "\n".join(shown.lines()):
            shown.press("\r")
            shown.listen(0.5)
        shown.child.wait()
        assert shown.child.exitstatus == 0
    (card,) = json.loads(course("practice", "--json", COURSE_STATE=state).stdout)["faults"]
    assert card["seen"] == 1
    assert card["box"] == card["right"]
