"""A schedule is judged by the steps that it is made for: batches, passes, or what a metric says."""

import ast
import copy
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import torch
from torch.optim import lr_scheduler as torch_schedules

from course.grading.engine.run_evidence import of_own_scripts
from course.judge.script_verdict import judge_script
from course.lesson.catalogue import catalogue
from course.lesson.signature import SilentSignature
from course.runs.record import RunRecord
from course_probe.hooks.torch import lr_schedule
from course_probe.hooks.torch.lr_schedule import LrScheduleHooks

BATCHES, PASSES = 40, 3
STEPS = BATCHES * PASSES
Make = Callable[[Any], Any]


def linear(steps: int) -> Callable[[int], float]:
    def rate(step: int, *, num_training_steps: int) -> float:
        return max(0.0, (num_training_steps - step) / num_training_steps)

    return partial(rate, num_training_steps=steps)


def in_a_row(optimizer: Any) -> Any:
    first = torch_schedules.LinearLR(optimizer, start_factor=0.1, total_iters=12)
    second = torch_schedules.CosineAnnealingLR(optimizer, T_max=STEPS - 12)
    return torch_schedules.SequentialLR(optimizer, [first, second], milestones=[12])


def chained(optimizer: Any) -> Any:
    first = torch_schedules.LinearLR(optimizer, start_factor=0.1, total_iters=12)
    second = torch_schedules.PolynomialLR(optimizer, total_iters=STEPS)
    return torch_schedules.ChainedScheduler([first, second], optimizer=optimizer)


BY_BATCHES: dict[str, Make] = {
    "of transformers": lambda o: torch_schedules.LambdaLR(o, linear(STEPS)),
    "by a function": lambda o: torch_schedules.LambdaLR(o, lambda s: max(0.0, 1 - s / STEPS)),
    "one cycle": lambda o: torch_schedules.OneCycleLR(o, max_lr=1e-3, total_steps=STEPS),
    "cosine": lambda o: torch_schedules.CosineAnnealingLR(o, T_max=STEPS),
    "linear": lambda o: torch_schedules.LinearLR(o, 1.0, 0.0, total_iters=STEPS),
    "polynomial": lambda o: torch_schedules.PolynomialLR(o, total_iters=STEPS),
    "in a row": in_a_row,
    "chained": chained,
    "exponential": lambda o: torch_schedules.ExponentialLR(o, gamma=0.98),
}
BY_PASSES: dict[str, Make] = {
    "of transformers": lambda o: torch_schedules.LambdaLR(o, linear(PASSES)),
    "by a function": lambda o: torch_schedules.LambdaLR(o, lambda epoch: 0.9**epoch),
    "cosine": lambda o: torch_schedules.CosineAnnealingLR(o, T_max=PASSES),
    "steps": lambda o: torch_schedules.StepLR(o, step_size=1, gamma=0.5),
    "milestones": lambda o: torch_schedules.MultiStepLR(o, milestones=[1, 2]),
    "exponential": lambda o: torch_schedules.ExponentialLR(o, gamma=0.9),
    "multiplied": lambda o: torch_schedules.MultiplicativeLR(o, lambda _epoch: 0.8),
}

FALLING: dict[str, Make] = {
    "exponential": lambda o: torch_schedules.ExponentialLR(o, gamma=0.7),
    "each step": lambda o: torch_schedules.StepLR(o, step_size=1, gamma=0.7),
    "each milestone": lambda o: torch_schedules.MultiStepLR(o, [*range(1, STEPS)], gamma=0.7),
    "by a function": lambda o: torch_schedules.LambdaLR(o, lambda number: 0.7**number),
    "multiplied": lambda o: torch_schedules.MultiplicativeLR(o, lambda _number: 0.7),
    "few milestones": lambda o: torch_schedules.MultiStepLR(o, [2, 4, 6], gamma=0.01),
}
ENDING: dict[str, Make] = {
    "of transformers": lambda o: torch_schedules.LambdaLR(o, linear(BATCHES)),
    "by a function": lambda o: torch_schedules.LambdaLR(o, lambda s: max(0.0, 1 - s / BATCHES)),
    "linear": lambda o: torch_schedules.LinearLR(o, 1.0, 0.0, total_iters=BATCHES),
    "polynomial": lambda o: torch_schedules.PolynomialLR(o, total_iters=BATCHES),
    "a factor of 0": lambda o: torch_schedules.StepLR(o, step_size=BATCHES, gamma=0.0),
}
RISING: dict[str, Make] = {
    "linear": lambda o: torch_schedules.LinearLR(o, 1e-3, total_iters=20 * STEPS),
    "by a function": lambda o: torch_schedules.LambdaLR(o, lambda s: min(1.0, s / (20 * STEPS))),
}
UNTOLD: dict[str, Make] = {
    name: BY_BATCHES[name]
    for name in ("of transformers", "by a function", "one cycle", "cosine", "linear", "polynomial")
}
ALIKE = [
    ("schedule-out-of-step", FALLING, "batch"),
    ("schedule-too-short", ENDING, "batch"),
    ("learning-rate-too-low", RISING, "batch"),
    ("schedule-out-of-step", UNTOLD, "whole"),
]
"""Schedules that give much the same rates, how often they are told, and what is wrong then."""


@pytest.fixture
def kinds() -> Iterator[None]:
    """Schedules are as they were after a test."""
    base = torch_schedules.LRScheduler
    found = [each for each in vars(torch_schedules).values() if isinstance(each, type)]
    classes = [each for each in found if issubclass(each, base)]
    kept = [
        (each, name, vars(each)[name])
        for each in classes
        for name in ("__init__", "step")
        if name in vars(each)
    ]
    yield
    for each, name, value in kept:
        setattr(each, name, value)


class Training:
    """A loop with a schedule, and the figures that are written at its end."""

    def __init__(self, *makes: Make) -> None:
        self.hooks = LrScheduleHooks()
        self.hooks.hook(torch_schedules)
        self.optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=1e-3)
        self.schedules = [make(self.optimizer) for make in makes]

    def run(
        self,
        *,
        batch: Callable[[Any], object] | None = None,
        whole: Callable[[Any], object] | None = None,
    ) -> dict[str, float]:
        zero = 0
        for number in range(STEPS):
            if number == 0:
                self.hooks.begin_training()
            rate = float(self.optimizer.param_groups[0]["lr"])
            self.hooks.note_rate(rate)
            zero = zero + 1 if rate <= 0 else 0
            self.optimizer.step()
            if batch is not None:
                batch(self)
            if whole is not None and (number + 1) % BATCHES == 0:
                whole(self)
        rate = float(self.optimizer.param_groups[0]["lr"])
        figures = self.hooks.figures(rate, STEPS, BATCHES, float(PASSES), self.optimizer)
        return {"zero_rate_steps": float(zero), **figures} if figures else {}


def step(training: Training) -> None:
    training.schedules[-1].step()


def is_refuted(figures: dict[str, float]) -> bool:
    """Whether the run shows that the fault is not there, as grading wants it."""
    known = {**figures, "zero_rate_steps": 0.0}
    return all(
        any(c.figure in known and not c.holds(known) for c in (*s.effect, *s.cause))
        for s in signatures()
        if not of_own_scripts() & {c.figure for c in (*s.effect, *s.cause)}
    )


def named(figures: dict[str, float]) -> set[str]:
    """Name the faults that the figures of a script of no lesson show for certain, at its end."""
    known = {"model.steps": float(STEPS), "loss.last_to_guess": 1.0, **figures}
    record = RunRecord("finished", figures=known)
    return {each.fault.id for each in judge_script(record).namings if each.certain}


def signatures() -> list[Any]:
    found = catalogue()["schedule-out-of-step"].signatures
    return [each for each in found if isinstance(each, SilentSignature) and not each.when]


@pytest.mark.usefixtures("kinds")
class TestSchedules:
    @pytest.mark.parametrize("name", BY_BATCHES)
    def test_one_for_batches_is_told_of_each(self, name: str) -> None:
        figures = Training(BY_BATCHES[name]).run(batch=step)
        assert figures["schedule_pace"] == 1.0
        assert figures["rate_off"] == pytest.approx(0.0, abs=0.02)
        assert is_refuted(figures)

    @pytest.mark.parametrize("name", sorted({*BY_BATCHES} - {"exponential"}))
    def test_one_for_batches_that_is_told_of_passes_only_is_out_of_step(self, name: str) -> None:
        figures = Training(BY_BATCHES[name]).run(whole=step)
        assert figures["schedule_pace"] < 0.1
        assert not is_refuted(figures)

    @pytest.mark.parametrize("name", ["of transformers", "cosine", "linear", "in a row", "chained"])
    def test_and_is_named_where_its_length_is_known(self, name: str) -> None:
        figures = Training(BY_BATCHES[name]).run(whole=step)
        assert figures["rate_off"] > 0.15
        assert figures["schedule_passes"] == pytest.approx(PASSES)

    @pytest.mark.parametrize("name", BY_PASSES)
    def test_one_for_passes_is_told_of_each(self, name: str) -> None:
        assert is_refuted(Training(BY_PASSES[name]).run(whole=step))

    def test_a_metric_lowers_the_rate(self) -> None:
        def plateau(optimizer: Any) -> Any:
            return torch_schedules.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)

        def tell(training: Training) -> None:
            training.schedules[-1].step(1.0)

        assert is_refuted(Training(plateau).run(whole=tell))
        assert is_refuted(Training(plateau).run(batch=tell))
        assert not is_refuted(Training(plateau).run())

    def test_one_beside_it_hides_none_that_is_out_of_step(self) -> None:
        def plateau(optimizer: Any) -> Any:
            return torch_schedules.ReduceLROnPlateau(optimizer, patience=9)

        def both(training: Training) -> None:
            training.schedules[0].step()
            training.schedules[1].step(1.0)

        figures = Training(BY_BATCHES["of transformers"], plateau).run(whole=both)
        assert figures["schedule_passes"] == PASSES
        assert not is_refuted(figures)

    def test_another_optimizers_schedule_is_none(self) -> None:
        training = Training(BY_BATCHES["of transformers"])
        other = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=1e-3)
        shown = torch_schedules.OneCycleLR(other, max_lr=1e-3, total_steps=STEPS + 1)
        figures = training.run(batch=lambda _training: shown.step(), whole=lambda t: step(t))
        assert not is_refuted(figures)

    def test_a_look_ahead_moves_no_rate(self) -> None:
        training = Training(in_a_row)
        training.run(whole=step)
        before = copy.deepcopy(training.optimizer.param_groups[0]["lr"])
        figures = training.run(whole=step)
        assert math.isfinite(figures["rate_expected"])
        assert training.schedules[0].last_epoch == 2 * PASSES
        assert training.optimizer.param_groups[0]["lr"] != before

    def test_a_script_may_set_the_rate_itself(self) -> None:
        def lower(training: Training) -> None:
            training.optimizer.param_groups[0]["lr"] *= 0.9

        assert is_refuted(Training().run(batch=lower))
        assert is_refuted(Training().run(whole=lower))
        # One that never changes is no schedule, and nothing is known of any.
        assert Training().run() == {}

    def test_and_hides_no_schedule_by_that(self) -> None:
        def both(training: Training) -> None:
            training.schedules[0].step()
            training.optimizer.param_groups[0]["lr"] *= 0.99

        assert not is_refuted(Training(BY_BATCHES["cosine"]).run(whole=both))

    def at_the_end(self, make: Make, **told: Callable[[Training], None]) -> dict[str, float]:
        training = Training(make)
        figures = training.run(**told)
        return {**figures, **training.hooks.end_figures(STEPS, training.optimizer)}

    def test_the_end_tells_whether_one_for_all_steps_was_told_of_them(self) -> None:
        few = self.at_the_end(BY_BATCHES["one cycle"], whole=step)
        assert few["schedule_told"] == few["schedule_through"] == PASSES / STEPS
        assert few["schedule_to_training"] == 1.0
        all_ = self.at_the_end(BY_BATCHES["one cycle"], batch=step)
        assert (all_["schedule_told"], all_["schedule_through"]) == (1.0, 1.0)

    @pytest.mark.parametrize(("fault", "makes", "told"), ALIKE)
    def test_the_same_rates_are_judged_alike_whatever_schedule_they_are_from(
        self, fault: str, makes: dict[str, Make], told: str
    ) -> None:
        for name, make in makes.items():
            assert named(self.at_the_end(make, **{told: step})) == {fault}, name

    def test_a_rate_that_is_lowered_with_each_pass_is_none_of_them(self) -> None:
        for name in BY_PASSES:
            assert named(self.at_the_end(BY_PASSES[name], whole=step)) == set(), name
        for name in BY_BATCHES:
            assert named(self.at_the_end(BY_BATCHES[name], batch=step)) == set(), name

    def test_milestones_in_batches_never_come_where_passes_are_told(self) -> None:
        for make in (
            lambda o: torch_schedules.MultiStepLR(o, milestones=[50, 90]),
            lambda o: torch_schedules.StepLR(o, step_size=60),
        ):
            assert self.at_the_end(make, whole=step)["schedule_last_change"] >= 60
        longer = self.at_the_end(lambda o: torch_schedules.StepLR(o, step_size=900), whole=step)
        assert "schedule_last_change" not in longer

    def test_a_schedule_of_another_optimizer_is_not_held_against_this_one(self) -> None:
        training = Training(BY_BATCHES["of transformers"])
        own = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=1e-3)
        training.optimizer = own
        assert training.run() == {}
        assert training.hooks.end_figures(STEPS, own) == {}

    def test_a_function_that_could_notice_is_not_called(self) -> None:
        calls: list[int] = []

        def counting(number: int) -> float:
            calls.append(number)
            return 1 - number / STEPS

        self.at_the_end(lambda o: torch_schedules.LambdaLR(o, counting), whole=step)
        assert len(calls) == PASSES + 1
        self.at_the_end(lambda o: torch_schedules.LambdaLR(o, lambda n: counting(n)), whole=step)
        assert len(calls) == 2 * (PASSES + 1)

    def test_a_functions_factors_stand_beside_the_optimizers_own_rate(self) -> None:
        usual = self.at_the_end(BY_PASSES["by a function"], whole=step)
        assert usual["rate_to_base"] == pytest.approx(1.0)
        rates = self.at_the_end(lambda o: torch_schedules.LambdaLR(o, lambda _: 1e-3), whole=step)
        assert rates["rate_to_base"] == pytest.approx(1e-3)

    def test_an_optimizers_rate_of_one_leaves_it_to_the_schedule(self) -> None:
        training = Training(lambda o: torch_schedules.LambdaLR(o, lambda _: 1e-3))
        training.schedules[0].base_lrs = [1.0]
        training.run(whole=step)
        assert "rate_to_base" not in training.hooks.end_figures(STEPS, training.optimizer)

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("S = CosineAnnealingLR(o, T_max=epochs)\nfor e in range(epochs): pass", True),
            ("S = lr.CosineAnnealingLR(o, c.n)\nfor e in range(1, self.c.n + 1): pass", True),
            ("S = CosineAnnealingLR(o, T_max=steps)\nfor e in range(epochs): pass", False),
            ("S = CosineAnnealingLR(o, T_max=3)\nfor e in range(3): pass", False),
            ("S = CosineAnnealingLR(o, T_0=epochs)\nfor e in range(epochs): pass", False),
        ],
    )
    def test_a_length_that_is_the_number_of_passes(
        self, text: str, found: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lr_schedule, "parsed", lambda: ast.parse(text))
        figures = self.at_the_end(BY_PASSES["cosine"], batch=step)
        assert (figures.get("schedule_rounds") == STEPS / PASSES) is found
