"""Remember which dataset a `tf.data.Dataset` was made of: its labels can be counted there."""

import functools
from dataclasses import dataclass
from types import ModuleType
from typing import Any

MARK = "_course_source"


@dataclass(frozen=True)
class BatchSource:
    """A dataset that batches are made of, and how many examples a batch holds."""

    dataset: Any
    batch_size: int | None


def hook(module: ModuleType) -> None:
    """Have `Dataset.to_tf_dataset` leave a mark on what it returns.

    See https://huggingface.co/docs/datasets/use_with_tensorflow.
    """
    original = module.Dataset.to_tf_dataset

    @functools.wraps(original)
    def to_tf_dataset(self: Any, *arguments: Any, **named: Any) -> Any:
        made = original(self, *arguments, **named)
        size = named.get("batch_size", arguments[0] if arguments else None)
        setattr(made, MARK, BatchSource(self, size if isinstance(size, int) else None))
        return made

    module.Dataset.to_tf_dataset = to_tf_dataset
