"""Scripts of no lesson: what is certain of them, and what is only possible."""

from dataclasses import replace
from typing import Any

from course.judge.script_verdict import judge_script
from course.lesson.signature import BROKEN
from course.runs.record import Frame, Raised, RunRecord

OWN = Frame("__main__", "mine.py", "<module>", 9, "loss = f(x)", script=True)
INNER = Frame("torch.nn.functional", "torch/nn/functional.py", "f", 3, "return g(x)")


def crashed(kind: str, message: str, **more: Any) -> RunRecord:
    raised = Raised(kind, (kind, "builtins.Exception"), message, (OWN, INNER), **more)
    return RunRecord("exception", raised=raised, exit_code=1)


def figures(**values: float) -> RunRecord:
    return RunRecord("finished", figures={k.replace("__", "."): v for k, v in values.items()})


def test_a_crash_is_named_with_the_learners_own_line() -> None:
    verdict = judge_script(crashed("builtins.IndexError", "Target 2 is out of bounds."))
    (naming,) = verdict.namings
    assert (naming.fault.id, naming.certain) == ("target-out-of-bounds", True)
    assert naming.frame == OWN
    assert (verdict.problem, verdict.well) == (None, False)


def test_what_is_not_known_stays_unknown() -> None:
    verdict = judge_script(crashed("builtins.RuntimeError", "the moon is full"))
    assert (verdict.problem, verdict.biting, verdict.well) == ("unknown", None, False)


def test_what_was_certain_before_a_general_mistake_is_told_beside_it() -> None:
    crash = crashed("builtins.ZeroDivisionError", "division by zero")

    def names(**figures: float) -> list[str]:
        return [n.fault.id for n in judge_script(replace(crash, figures=figures)).namings]

    assert names() == ["division-by-zero"]
    foreign = {"foreign_tokens": 0.9}
    assert names(**foreign) == ["division-by-zero", "foreign-tokenizer"]
    ignored = {f"{BROKEN}loss-leads-to-labels/ignored": 1.0}
    assert names(**ignored) == ["all-labels-ignored"]


def test_what_was_certain_before_a_failure_without_a_name_is_told() -> None:
    crash = crashed("builtins.OverflowError", "math range error")
    assert not judge_script(crash).namings
    foreign = {"foreign_tokens": 0.9}
    verdict = judge_script(replace(crash, figures=foreign))
    assert [(n.fault.id, n.certain) for n in verdict.namings] == [("foreign-tokenizer", True)]
    assert (verdict.problem, verdict.well) == (None, False)


def test_a_script_that_ends_itself_tells_its_status() -> None:
    ended = judge_script(RunRecord("finished", exit_code=3))
    assert (ended.problem, ended.well) == ("exit-status", False)
    assert judge_script(RunRecord("finished", exit_code=0)).well


def test_what_a_script_may_mean_is_possible_at_most() -> None:
    verdict = judge_script(figures(padding_factor=3.0, width_follows=0.0))
    assert [(each.fault.id, each.certain) for each in verdict.namings] == [
        ("padding-to-maximum", False)
    ]
    assert verdict.well


def test_what_a_script_has_caught_is_no_fault() -> None:
    caught = crashed("builtins.IndexError", "Target 2 is out of bounds.").raised
    assert caught is not None
    verdict = judge_script(RunRecord("finished", swallowed=(caught,), exit_code=0))
    assert (verdict.namings, verdict.well, verdict.caught) == ((), True, (caught,))
