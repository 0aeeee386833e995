"""Hints go up a ladder of three rungs, and none of them is empty."""

import pytest

from course.base import i18n
from course.base.texts import paragraphs
from course.exercise.hint import MENDED, ladder, offer
from course.lesson import lesson
from course.lesson.bug import Bug
from course.lesson.catalogue import catalogue

PART = lesson.load("ch8-4").parts["pt"]
OTHER = lesson.load("ch3-3").parts["pt"]


@pytest.mark.parametrize("fault", sorted(catalogue()))
def test_every_fault_has_three_rungs(fault: str) -> None:
    rungs = ladder(catalogue()[fault], PART.bug_of(fault))
    assert [r.level for r in rungs] == [1, 2, 3]
    assert all(text.strip() for r in rungs for text in r.texts)


def test_the_first_rungs_do_not_give_the_fix_away() -> None:
    for bug in PART.bugs:
        where, means, change = ladder(catalogue()[bug.fault], bug)
        for edit in bug.edits:
            assert edit.healthy.strip() not in " ".join((*where.texts, *means.texts))
        assert len(change.texts) >= 2


@pytest.mark.parametrize("bug", PART.bugs, ids=lambda b: b.fault)
def test_what_the_text_has_already_is_not_recommended(bug: Bug) -> None:
    found = catalogue()[bug.fault]
    told = [text for rung in ladder(found, None, "", bug) for text in rung.texts]
    advised = [text for rung in ladder(found, bug) for text in rung.texts]
    assert i18n._(MENDED) in told
    assert found.where in told
    for text in (*paragraphs(found.fix), *paragraphs(bug.reason)):
        assert text in advised
        assert text not in told


def test_the_look_that_is_offered_needs_nothing_of_another_look() -> None:
    # The looks before `batch["labels"]` there make that batch; the script itself has none.
    text = PART.text(PART.bugs)
    offered = offer(PART.looks_at("target-out-of-bounds"), text)
    assert "`trainer.model.config.num_labels`" in offered
    # A script that has another name for it is not told to look at what it has not.
    renamed = offer(PART.looks_at("target-out-of-bounds"), text.replace("trainer", "mine"))
    assert "trainer" not in renamed
    keras = lesson.load("ch8-4").parts["tf"]
    offered = offer(keras.looks_at("no-gradients"), keras.text(keras.bugs))
    assert "`type(model.loss)`" in offered
    # What only an import before it makes comes with that import.
    offered = offer(OTHER.looks_at("removed-import"), OTHER.text(OTHER.bugs))
    assert "`import datasets; [name for name in dir(datasets)" in offered


def test_a_problem_without_a_fault_leads_to_the_fix_that_is_not_there() -> None:
    bug = OTHER.bug_of("missing-eval-dataset")
    assert bug is not None
    problem, where, change = ladder(None, None, "PROBLEM", remaining=(bug,), script="")
    assert problem.texts == ("PROBLEM",)
    assert any("args.eval_strategy" in text for text in where.texts)
    assert any("`eval_dataset`" in text for text in change.texts)
    assert [rung.level for rung in (problem, where, change)] == [1, 2, 3]
    assert len(ladder(None, None, "PROBLEM", remaining=(bug,), exam=True)) == 2
    assert len(ladder(None, None, "PROBLEM")) == 1


def test_code_in_a_hint_has_the_names_of_the_script() -> None:
    fault = catalogue()["missing-label-column"]
    rungs = ladder(fault, None, script=OTHER.text(OTHER.bugs))
    told = " ".join(text for rung in rungs for text in rung.texts)
    assert "`next(iter(first.get_train_dataloader())).keys()`" in told
    assert '`raw.rename_column("label", "labels")`' in told
    assert "trainer." not in told
