"""Hints go up a ladder of three rungs, and none of them is empty."""

import pytest

from course.base import i18n
from course.base.texts import paragraphs
from course.exercise.hint import LEVELS, MENDED, ladder, offer
from course.lesson import lesson
from course.lesson.bug import Bug
from course.lesson.catalogue import catalogue

PART = lesson.load("ch8-4").parts["pt"]


@pytest.mark.parametrize("fault", sorted(catalogue()))
def test_every_fault_has_three_rungs(fault: str) -> None:
    rungs = ladder(catalogue()[fault], PART.bug_of(fault))
    assert [r.level for r in rungs] == [1, 2, 3]
    assert all(text.strip() for r in rungs for text in r.texts)


def test_the_rungs_are_in_the_language_in_force() -> None:
    i18n.activate(i18n.PSEUDO)
    found = catalogue()["size-1-array"]
    rungs = ladder(found, PART.bug_of(found.id))
    assert [r.heading for r in rungs] == [i18n._(text) for text in LEVELS]
    assert rungs[0].heading != LEVELS[0]
    assert found.where.strip() not in rungs[0].texts


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
    offered = offer(PART.looks_at("target-out-of-bounds"))
    assert "`trainer.model.config.num_labels`" in offered
    assert "`type(model.loss)`" in offer(lesson.load("ch8-4").parts["tf"].looks_at("no-gradients"))
