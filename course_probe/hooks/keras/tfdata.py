"""Remember which dataset a `tf.data.Dataset` was made of, and hear the batches made of it."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

MARK = "_course_source"


@dataclass
class BatchSource:
    """A dataset that batches are made of, and how many examples a batch holds.

    `listener` is called with each batch as the collate function makes it, in the order in which
    they are read.
    """

    dataset: Any
    batch_size: int | None
    is_shuffled: bool = False
    remake: Callable[[], Any] | None = None
    listener: Callable[[Any], None] | None = None
    _unshuffled: Any = None

    def hear(self, batch: Any) -> None:
        """Pass a batch on to the listener, if there is one."""
        if self.listener is not None:
            self.listener(batch)

    def make_unshuffled(self) -> Any:
        """Return the same batches in the order of the dataset; None where they can't be made.

        To read them leaves the order of the script's own as it would have been.
        """
        # It is kept: one that goes takes the dataset that it was made of along.
        if self._unshuffled is None and self.remake is not None:
            self._unshuffled = self.remake()
        return self._unshuffled


def hook(module: ModuleType) -> None:
    """Have `Dataset.to_tf_dataset` leave a mark on what it returns.

    See https://huggingface.co/docs/datasets/use_with_tensorflow.
    """
    original = module.Dataset.to_tf_dataset
    signature = inspect.signature(original)

    @functools.wraps(original)
    def to_tf_dataset(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            given = signature.bind(self, *arguments, **named).arguments
        except TypeError:
            # The method itself says what is wrong with its arguments.
            return original(self, *arguments, **named)
        size = given.get("batch_size")
        source = BatchSource(self, size if isinstance(size, int) else None)
        source.is_shuffled = bool(given.get("shuffle"))
        collate = given.get("collate_fn")
        again = {**given, "shuffle": False, "prefetch": False, "num_workers": 0}
        source.remake = functools.partial(original, **again)
        # Workers are processes of their own: what is called there is not heard here.
        if collate is not None and not given.get("num_workers"):
            given = {**given, "collate_fn": _heard(collate, source)}
        made = original(**given)
        setattr(made, MARK, source)
        return made

    module.Dataset.to_tf_dataset = to_tf_dataset


def _heard(collate: Callable[..., Any], source: BatchSource) -> Callable[..., Any]:
    """Wrap the collate function so that the source hears its results."""

    def collated(*arguments: Any, **named: Any) -> Any:
        batch = collate(*arguments, **named)
        source.hear(batch)
        return batch

    return collated
