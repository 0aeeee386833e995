"""A step as it is told, from stored records, drawn on a terminal."""

import math
import re
from dataclasses import replace

import pytest

from course.base import i18n
from course.exercise.walk import Taken
from course.judge.attempt import judge_attempt
from course.judge.verdict import PROBLEMS, judge
from course.lesson.lesson import Look
from course.render import lesson_blocks, run_blocks, story
from course.render import text as plain
from course.render.blocks import Paragraph, StoryBlock
from course.render.run_blocks import decisive
from course.render.story import NotebookWays
from course.runs.record import Raised, RunRecord, Training
from tests.cli.test_step_telling import KERAS, PART, STALLED, taken
from tests.exercise.watch.made import stored
from tests.render.terminals import drawn

STEPS = {s.id: s for s in PART.steps}


def shown(*blocks: StoryBlock) -> str:
    return drawn(blocks)


def observed(done: Taken) -> str:
    return shown(*done.story.ending, *done.story.evidence, *done.story.fault)


def evidence_of(done: Taken) -> str:
    return shown(run_blocks.evidence(done.verdict, done.record, "cpu", "embedded"))


def test_two_lines_of_the_traceback_and_the_fault() -> None:
    text = observed(taken("length-mismatch", stored("length-mismatch")))
    assert "exercise.py:72" in text
    assert "transformers/data/data_collator.py" in text
    assert "levels in between" in text
    assert "data → [batch] → model" in text
    assert "differ in length" in text


@pytest.mark.parametrize("name", ["missing-input-ids", "length-mismatch", "target-out-of-bounds"])
def test_every_surface_names_a_fault_only_after_the_question(name: str) -> None:
    done = taken(name, stored(name))
    told, attempt = done.story, judge_attempt(PART, PART.bugs, done.record)
    asked = lesson_blocks.question(done.step, raises=True)
    ways = NotebookWays("Look", "Guess", "More", "Go on")
    *open_, fold = story.of_cells(attempt, (), PART, (), ways)
    before = {
        "walk": plain.draw([*told.ending, *told.question]),
        "guess": plain.draw(story.to_guess(attempt, done.record, asked, ())),
        "notebook": plain.draw(open_),
    }
    after = {"walk": plain.draw([*told.fault, *told.fix]), "notebook": plain.draw([fold])}
    assert [
        key for key, words in before.items() if asked not in words or f"`{name}`" in words
    ] == []
    assert [key for key, words in after.items() if f"`{name}`" not in words] == []
    page = [
        each.text for each in lesson_blocks.page(done.step, PART) if isinstance(each, Paragraph)
    ]
    (named,) = (at for at, words in enumerate(page) if f"`{name}`" in words)
    assert page.index(asked) < named


def test_the_course_words_are_quoted_only_where_they_differ() -> None:
    step = "missing-input-ids"
    today = observed(taken(step, stored(step)))
    lowest = observed(taken(step, stored(step, "lowest")))
    assert "You have to specify either input_ids or inputs_embeds" in today
    assert "The course prints:" in today
    assert "The course prints:" not in lowest


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_every_problem_has_a_sentence_with_nothing_left_open(problem: str, lang: str) -> None:
    i18n.activate(lang)
    done = taken("healthy", stored("none.healthy"))
    done = replace(done, verdict=replace(done.verdict, problem=problem))
    text = observed(done)
    begins = i18n._(PROBLEMS[problem]).split("{")[0]
    assert begins[:10] in text
    assert "{" not in text


def test_a_long_output_is_cut_and_says_so() -> None:
    look = PART.looks[0]
    output = "\n".join(f"line {i}" for i in range(99))
    text = shown(*lesson_blocks.look(look, output, "E: " + "x" * 999))
    assert "line 11" in text
    assert "line 12" not in text
    assert "…" in text


def test_figures_are_written_as_the_language_writes_them() -> None:
    i18n.activate("ru")
    done = taken("healthy", stored("none.healthy"))
    text = evidence_of(done) + observed(done)
    assert "0,333" in text
    assert re.search(r"\d,\d\u00a0с\.", text)
    assert not re.search(r"\d\.\d", text)


@pytest.mark.parametrize(
    ("evidence", "says"),
    [
        ("live", "Ran here on"),
        ("recorded", "recorded on another machine"),
        ("quoted", "nothing was run"),
    ],
)
def test_the_evidence_is_named(evidence: str, says: str) -> None:
    done = taken("target-out-of-bounds", stored("target-out-of-bounds"))
    done = replace(done, verdict=replace(done.verdict, evidence=evidence))  # type: ignore[arg-type]
    text = " ".join(evidence_of(done).split())
    assert says in text
    assert ("torch 2.13.0" in text) == (evidence == "recorded")


def silent(step: str, record: RunRecord) -> Taken:
    done = taken(step, record, KERAS)
    assert done.verdict.matched
    return done


def test_a_loss_that_was_never_a_number_is_written_out() -> None:
    losses = tuple((step, math.nan) for step in range(1, 6))
    setting = Training(num_labels=2, labels={"0": 9, "1": 9, "2": 9})
    record = RunRecord("stopped", training=setting, losses=losses)
    text = observed(silent("nan-loss", record))
    assert "over the training steps" in text
    assert "nan, nan, nan, nan, nan" in text


def test_a_stalled_loss_is_drawn_beside_the_healthy_one() -> None:
    text = observed(silent("learning-rate-too-high", STALLED))
    assert "1.10 at step 60" in text
    assert "learning rate 0.001" in text
    assert "stopped as soon as this result was certain" in text
    assert "this run" in text
    assert "runs without bugs (recorded)" in text


@pytest.mark.parametrize(
    ("lang", "told"), [("en", "with the embedded hub,"), ("zh", "`cpu`"), ("ru", "`cpu`")]
)
def test_where_a_run_was_is_told_without_a_word_of_a_program(lang: str, told: str) -> None:
    i18n.activate(lang)
    verdict = judge(STEPS["healthy"], PART.outcome, stored("none.healthy"))
    text = run_blocks.evidence(verdict, stored("none.healthy"), "cpu", "embedded").text
    assert told in text
    assert "`embedded`" not in text


def test_a_loss_that_fell_and_stays_high_is_not_said_not_to_fall() -> None:
    losses = tuple((step, 1.1 + 6.2 / step) for step in range(1, 62, 2))
    setting = Training(max_steps=300, batch_size=16, learning_rate=1e-3)
    record = RunRecord("stopped", training=setting, losses=losses)
    text = shown(*silent("learning-rate-too-high", record).story.evidence)
    assert "does not fall" not in text
    assert "stays too high" in text


def test_a_loss_that_is_no_number_is_told_with_what_caused_it() -> None:
    labels = {"0": 9, "1": 9, "2": 9}
    setting = Training(max_steps=300, batch_size=16, num_labels=2, labels=labels)
    record = RunRecord("stopped", training=setting, losses=((2, float("nan")),))
    text = observed(silent("nan-loss", record))
    assert "From step 2 on, the loss is not a number" in text
    assert "2 outputs of the model, 3 labels" in text


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("plain", "plain"),
        ("two\nlines: here", "two\nlines: here"),
        (
            'in user code:\n\n    File "a.py", line 3, in f\n        g()\n\n'
            "    ValueError: Target data is missing.\n    And more.\n",
            "Target data is missing.\n    And more.",
        ),
        ("a colon:\nand nothing after it", "a colon:\nand nothing after it"),
    ],
)
def test_of_an_account_in_front_of_a_message_only_its_end_is_told(message: str, told: str) -> None:
    assert decisive(Raised("builtins.ValueError", (), message)) == told


@pytest.mark.parametrize(
    ("output", "is_drawn"),
    [("[1.1, 0.8, 0.5]", True), ("[]", False), ("nonsense", False), ("[1.0, 'x']", False)],
)
def test_a_list_of_losses_is_drawn_and_anything_else_is_printed(
    output: str, is_drawn: bool
) -> None:
    look = Look(frozenset({"healthy"}), "losses", "The loss", plot=True)
    text = shown(*lesson_blocks.look(look, output))
    assert (output not in text) is is_drawn
    assert ("1.10" in text) is is_drawn
