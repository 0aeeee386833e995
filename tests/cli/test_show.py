"""A step on the screen, from stored records."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from course import i18n
from course.check.verdict import PROBLEMS, judge
from course.cli import show
from course.lesson import lesson
from course.run.hub import Hub
from course.run.record import LookResult, RunRecord, parse
from course.run.runtime import Runtime
from course.walk.walk import Place, Taken
from tests.conftest import RECORDS

PART = lesson.load("ch8-4").parts["pt"]
STEPS = {s.id: s for s in PART.steps}
PLACE = Place(Runtime("pt", "python", {}), Hub("embedded"), "cpu")


def stored(name: str, stack: str = "today") -> RunRecord:
    return parse((RECORDS / stack / f"{name}.jsonl").read_text("utf-8").splitlines())


def taken(step: str, record: RunRecord) -> Taken:
    verdict = judge(STEPS[step], PART.outcome, record)
    return Taken(STEPS[step], PART.outcome, verdict, record, (), "", "")


def shown(*what: object, width: int = 80) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width)
    for each in what:
        each(console)  # type: ignore[operator]
    return out.getvalue()


def test_two_lines_of_the_traceback_and_the_fault() -> None:
    text = shown(lambda c: show.observed(c, taken("length-mismatch", stored("length-mismatch"))))
    assert "exercise.py:72" in text
    assert "transformers/data/data_collator.py" in text
    assert "levels in between" in text
    assert "data → [batch] → model" in text
    assert "differ in length" in text


def test_the_course_words_are_quoted_only_where_they_differ() -> None:
    step = "missing-input-ids"
    today = shown(lambda c: show.observed(c, taken(step, stored(step))))
    lowest = shown(lambda c: show.observed(c, taken(step, stored(step, "lowest"))))
    assert "You have to specify either input_ids or inputs_embeds" in today
    assert "word it differently" in today
    assert "word it differently" not in lowest


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_every_problem_has_a_sentence_with_nothing_left_open(problem: str, lang: str) -> None:
    i18n.activate(lang)
    done = taken("healthy", stored("none.healthy"))
    done = replace(done, verdict=replace(done.verdict, problem=problem, matched=False))
    text = shown(lambda c: show.observed(c, done))
    begins = i18n._(PROBLEMS[problem]).split("{")[0]
    assert begins[:10] in text
    assert "{" not in text


def test_a_long_output_is_cut_and_says_so() -> None:
    look = PART.looks[0]
    result = LookResult(0, "\n".join(f"line {i}" for i in range(99)), "E: " + "x" * 999, 0.0)
    done = replace(taken("healthy", stored("none.healthy")), looks=((look, result),))
    text = shown(lambda c: show.looks(c, done))
    assert "line 11" in text
    assert "line 12" not in text
    assert "…" in text


def test_figures_are_shown_against_the_baseline() -> None:
    text = shown(lambda c: show.observed(c, taken("healthy", stored("none.healthy"))))
    assert "0.333" in text
    assert "percentage points better" in " ".join(text.split())


@pytest.mark.parametrize(
    ("evidence", "says"),
    [("live", "Ran here on"), ("recorded", "recorded on another one"), ("quoted", "nothing ran")],
)
def test_the_evidence_is_named(evidence: str, says: str) -> None:
    done = taken("target-out-of-bounds", stored("target-out-of-bounds"))
    done = replace(done, verdict=replace(done.verdict, evidence=evidence))  # type: ignore[arg-type]
    text = " ".join(shown(lambda c: show.evidence(c, done, PLACE)).split())
    assert says in text
    assert ("torch 2.13.0" in text) == (evidence == "recorded")
