"""Which drill comes next, and when a fault comes back."""

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from course.base import paths
from course.exercise import drill, guess
from course.exercise.drill import WAITS, Drill, FaultCard, Mistake
from course.lesson import lesson
from course.lesson.catalogue import catalogue

NOW = datetime(2026, 11, 28, tzinfo=UTC)
ALL = drill.drills(["pt"])


def test_each_bug_of_each_lesson_is_a_drill_unless_only_a_gpu_shows_it() -> None:
    own = {(d.part.lesson, d.bug.fault) for d in ALL if d.bug in d.part.known}
    parts = [p for n in lesson.ids() for p in lesson.load(n).parts.values() if p.framework == "pt"]
    hidden = {(p.lesson, b.fault) for p in parts for b in p.hidden("cpu")}
    assert own == {(p.lesson, b.fault) for p in parts for b in p.known} - hidden


def test_a_mistake_is_made_in_each_script_that_it_fits_and_has_no_such_bug() -> None:
    made = [each for each in ALL if each.bug not in each.part.known]
    assert len(made) > 2 * (len(ALL) - len(made))
    for each in made:
        assert each.part.bug_of(each.bug.fault) is None
        healthy = each.part.text(())
        assert ast.parse(each.text)
        assert each.text != healthy
        assert each.bug.take_out(each.text) == healthy
    asked = {each.bug.fault for each in made}
    assert {m.fault for m in drill.mistakes()} == asked
    assert all(guess.choice(catalogue()[fault]) for fault in asked)


def test_a_mistake_is_made_at_one_place_or_everywhere() -> None:
    one = Mistake("x", r"(\w+)\.eval", r"\1.train")
    assert list(one.made_in("a.eval\nb.eval")) == ["a.train\nb.eval", "a.eval\nb.train"]
    assert list(Mistake("x", "eval", "y", everywhere=True).made_in("eval, eval")) == ["y, y"]
    assert not list(Mistake("x", "eval", "y", everywhere=True).made_in("train"))


def test_what_is_due_comes_first_and_then_what_is_new() -> None:
    early = (NOW - timedelta(hours=2)).isoformat()
    late = (NOW - timedelta(hours=1)).isoformat()
    later = (NOW + timedelta(days=1)).isoformat()
    cards = {"length-mismatch": FaultCard(due=late), "lazy-column": FaultCard(due=early)}
    cards["size-1-array"] = FaultCard(due=later)
    assert drawn(cards) == "lazy-column"
    assert drawn(cards, "lazy-column") == "length-mismatch"
    assert drawn(cards, "lazy-column", "length-mismatch") not in cards
    seen = {name: FaultCard(due=later) for name in {d.bug.fault for d in ALL}}
    seen["regression-head"] = FaultCard(due=(NOW + timedelta(hours=1)).isoformat())
    assert drawn(seen) == "regression-head"


def drawn(cards: dict[str, FaultCard], *recent: str) -> str:
    return drill.draw(ALL, cards, recent, NOW).bug.fault


def test_one_fault_alone_comes_again_at_once() -> None:
    only: tuple[Drill, ...] = ALL[:1]
    fault = only[0].bug.fault
    assert drill.draw(only, {}, [fault], NOW).bug.fault == fault
    with pytest.raises(ValueError, match="no drills"):
        drill.draw((), {}, (), NOW)


def test_a_fault_waits_longer_each_time_it_is_named_and_none_once_missed() -> None:
    card = FaultCard()
    for wait in (*WAITS[1:], WAITS[-1]):
        card = card.after(is_right=True, now=NOW)
        assert datetime.fromisoformat(card.due) == NOW + wait
    assert drill.due({"x": card}, NOW) == 0
    missed = card.after(is_right=False, now=NOW)
    assert (missed.box, missed.seen, missed.right) == (0, 6, 5)
    assert drill.due({"x": missed}, NOW) == 1


def test_cards_are_kept_and_a_damaged_file_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "state", lambda: tmp_path)
    assert drill.read() == {}
    cards = {"lazy-column": FaultCard(box=2, due=NOW.isoformat(), seen=3, right=2)}
    assert drill.keep(cards)
    assert drill.read() == cards
    (tmp_path / "practice.json").write_text("{")
    assert drill.read() == {}
    monkeypatch.setattr(paths, "state", lambda: tmp_path / "practice.json" / "x")
    assert not drill.keep(cards)
