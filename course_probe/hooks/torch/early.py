"""What is told in the midst of a training, as nothing that is still to come undoes it.

What a script may still set right is not among them: data that are evaluated on later, optimizers
that are yet to be made.
"""

import ast
import sys
from collections.abc import Callable

from course_probe.hooks.torch.losses import LossHooks
from course_probe.hooks.torch.lr_schedule import LrScheduleHooks
from course_probe.hooks.torch.passes import PassHooks
from course_probe.hooks.torch.sequences import SequenceHooks
from course_probe.hooks.torch.trainer import TrainerHooks
from course_probe.hooks.torch.training_loop import TrainingLoopHooks
from course_probe.hooks.vitals import VitalsHooks
from course_probe.reading.script_text import called_names, count_calls, parsed, sets_rates
from course_probe.reading.text_figures import text_figures

STEADY = 0.999
"""The mean rate beside the highest, of a rate that nothing has moved."""


class EarlyFigures:
    """The figures of a script of no lesson that are known before its training is over."""

    def __init__(
        self,
        passes: PassHooks,
        sequences: SequenceHooks,
        losses: LossHooks,
        loop: TrainingLoopHooks,
        schedule: LrScheduleHooks,
        trainer: TrainerHooks,
        vitals: VitalsHooks,
    ) -> None:
        self._passes = passes
        self._schedule = schedule
        self._trainer = trainer
        self._vitals = vitals
        self._heard: list[Callable[[], dict[str, float]]] = [
            passes.early_figures,
            sequences.figures,
            losses.early_figures,
            loop.early_figures,
            vitals.early_figures,
        ]
        self._tree: ast.Module | None = None

    def at_step(self) -> dict[str, float]:
        """What is known by one of the first steps of a training."""
        found: dict[str, float] = {}
        for figures_of in self._heard:
            found |= figures_of()
        tree = self._read()
        if tree is not None:
            is_steady = found.get("rate_level", 0.0) > STEADY
            found |= self._of_tree(tree) | self._of_optimizers(tree, is_steady=is_steady)
        return found

    def at_evaluation(self) -> dict[str, float]:
        """What is known by the first evaluation of a training."""
        tree = self._read()
        loops = self._passes.loops.figures(tree) if tree is not None else {}
        return self._passes.evaluation_figures() | loops

    def of_text(self) -> dict[str, float]:
        """What the text of the script tells, beside what was heard, once it is over."""
        tree = self._read()
        return self._of_tree(tree) | self._passes.loops.figures(tree) if tree is not None else {}

    def _read(self) -> ast.Module | None:
        self._tree = self._tree or parsed()
        return self._tree

    def _of_tree(self, tree: ast.Module) -> dict[str, float]:
        found = dict(text_figures(tree))
        if not self._trainer.made:
            backwards = count_calls(tree, "backward")
            is_fresh = self._passes.is_fresh
            found |= self._vitals.loop_figures(is_fresh=is_fresh, backwards=backwards)
        return found

    def _of_optimizers(self, tree: ast.Module, *, is_steady: bool) -> dict[str, float]:
        """What they leave out, and how high their rate may come, unless the script sees to that."""
        found: dict[str, float] = {}
        stepped = self._vitals.stepped
        if len(stepped) == 1 and not sets_rates(tree):
            ceiling = self._schedule.ceiling(stepped[0], steady=is_steady)
            found |= {} if ceiling is None else {"rate_ceiling": ceiling}
        optimizers = self._vitals.optimizers
        if optimizers is None:
            return found
        found |= optimizers.uncleared()
        if self._passes.is_fresh and self._are_all_made(tree):
            found |= optimizers.early_figures()
        return found

    def _are_all_made(self, tree: ast.Module) -> bool:
        """Whether the script makes no more optimizers, as far as its text says."""
        names = called_names(tree)
        kinds = _optimizer_kinds()
        wanted = sum(count for name, count in names.items() if name in kinds)
        return "add_param_group" not in names and wanted <= self._vitals.optimizers_made


def _optimizer_kinds() -> set[str]:
    """Names of the classes of optimizers that there are, the script's own included."""
    waiting, found = [sys.modules["torch"].optim.Optimizer], set[str]()
    while waiting:
        kind = waiting.pop()
        found.add(kind.__name__)
        waiting += kind.__subclasses__()
    return found
