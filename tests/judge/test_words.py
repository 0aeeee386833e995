"""What a run showed in sentences, whose figures are written as the language does."""

import re
from dataclasses import replace

import pytest

from course.base import i18n
from course.judge import messages
from course.judge.verdict import PROBLEMS, describe_problem, judge
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from course.lesson.signature import SilentSignature
from tests.exercise.watch.made import stored

PART = lesson.load("ch8-4").parts["pt"]
SHOWN = [
    signature
    for fault in catalogue().values()
    for signature in fault.signatures
    if isinstance(signature, SilentSignature)
]
FIGURES = {
    "loss": 1.0986, "healthy_loss": 0.8, "judged_step": 60, "nan_step": 2,
    "learning_rate": 0.001, "num_labels": 2, "train_labels": 3,
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "share", "points"),
    [("en", "88.7%", "38.7"), ("zh", "88.7%", "38.7"), ("ru", "88,7\xa0%", "38,7")],
)
def test_what_was_learned_is_told_with_the_languages_own_figures(
    language: str, share: str, points: str
) -> None:
    i18n.activate(language)
    figures = {"accuracy": 0.887, "baseline": 0.5, "margin": 0.387, "train_seconds": 3.4}
    text = messages.learned(figures)
    assert share in text
    assert points in text


@pytest.mark.parametrize(
    "signature", SHOWN, ids=lambda s: s.effect if not s.shown else s.shown[:40]
)
def test_no_silent_fault_is_told_with_a_decimal_point_in_russian(
    signature: SilentSignature,
) -> None:
    values = FIGURES | dict.fromkeys(re.findall(r"\{([\w.]+)", signature.shown), 0.125)
    told = {}
    for language in ("en", "ru"):
        i18n.activate(language)
        told[language] = f"{messages.silent(signature, values)} {messages.set_up(values)}"
    # What the translation says itself, such as `100%`, is the translators' to write.
    assert not re.search(r"\d\.\d|12%", told["ru"])
    assert ("12%" in told["en"]) == ("12\xa0%" in told["ru"])


def test_a_problem_of_a_run_has_no_decimal_point_in_russian() -> None:
    i18n.activate("ru")
    verdict = judge(PART.steps[-1], PART.outcome, stored("none.healthy"))
    for problem in PROBLEMS:
        told = describe_problem(replace(verdict, problem=problem), PART.outcome)
        assert not re.search(r"\d\.\d", told), problem
