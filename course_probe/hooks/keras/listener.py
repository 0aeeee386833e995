"""What hears of the trainings and evaluations of Keras: the ledger, which is made further up."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class KerasListener(Protocol):
    """Is told of each call of `fit`, `evaluate` and `predict`, and of each step."""

    asks_itself: bool
    """Whether the passes and losses of this moment are its own."""

    def begin_fit(
        self, given: dict[str, Any], inputs: Sequence[Any], labels: Any, trained: Any
    ) -> None:
        """Note that a call of `fit` begins, on the rows `trained`."""

    def before_step(self, model: Any) -> None:
        """Note that a step is about to be taken."""

    def after_step(self, model: Any, mean: Callable[[], float | None], *, is_told: bool) -> None:
        """Note that it was; `mean` asks for its loss."""

    def note_validated(self, model: Any) -> None:
        """Note that `fit` has evaluated the rows of its validation."""

    def end_epoch(self, model: Any) -> None:
        """Note that all rows were passed once more."""

    def end_fit(self, given: dict[str, Any], missing: Sequence[str]) -> None:
        """Note that a call of `fit` is over; callbacks go by figures that are `missing`."""

    def note_asked(self, given: dict[str, Any]) -> None:
        """Note that a model was evaluated, or asked for answers."""

    def begin_loop(self, model: Any, inputs: Sequence[Any], labels: Any, data: Any) -> None:
        """Note that a model is trained by hand, on `data` where its batches are not seen."""

    def note_optimizer(self, model: Any, optimizer: Any) -> None:
        """Note the optimizer of a model that is trained by hand."""

    def note_trained(self, model: Any, given: Any, *, training: bool) -> None:
        """Note a batch that a model is trained on by hand, and the mode."""

    def note_passed(self, model: Any, given: Any, *, training: bool) -> None:
        """Note a batch that a model answers beside a training by hand."""

    def note_adapted(self, data: Any) -> None:
        """Note the rows from which a layer takes a mean and a variance."""

    def note_layer(self, layer: Any, given: Any, made: Any) -> None:
        """Note what a layer gives."""

    def note_loss(self, compute: Callable[[Any, Any], Any], name: str, takes_logits: bool) -> None:
        """Note a loss that is computed."""

    def note_call(self, name: str, value: float) -> None:
        """Note a fact of what a line of the script has called Keras with; a later value counts."""

    def write(self, *, over: bool = False) -> None:
        """Write what is known."""
