"""Ears for each framework, put in place the moment it is imported."""

import functools
import sys

from course_probe import (
    keras,
    loaders,
    loop,
    maps,
    metric,
    passes,
    processes,
    schedule,
    tfdata,
    trainer,
)
from course_probe.hooks import AfterImport, Failed
from course_probe.journal import Journal

LISTENERS = {
    "transformers.trainer": trainer.listen,
    "tf_keras.src.engine.training": keras.listen,
    "datasets.arrow_dataset": tfdata.listen,
    "datasets.dataset_dict": maps.listen,
    "transformers.modeling_utils": passes.listen,
    "transformers.tokenization_utils_base": passes.listen_tokenizers,
    "torch.optim.optimizer": loop.listen,
    "torch.optim.lr_scheduler": schedule.listen,
    "torch.utils.data.dataloader": loaders.listen,
    "evaluate.module": metric.listen,
    "accelerate.accelerator": processes.listen,
    "accelerate.data_loader": loaders.listen_prepared,
    "accelerate.launchers": processes.listen_launchers,
}
"""For each module that tells something of a training: what listens to it."""


def install(journal: Journal, failed: Failed) -> None:
    """Listen to each framework that the script imports, or that is imported already.

    `failed` is called with each exception that leaves a method that trains or evaluates: a script
    may catch it and go on as if nothing had happened.
    """
    last: BaseException | None = None

    def failed_once(error: BaseException) -> None:
        # `train` calls `evaluate`: the same exception leaves both.
        nonlocal last
        if error is not last:
            last = error
            failed(error)

    for name, listen in LISTENERS.items():
        then = functools.partial(listen, journal=journal, failed=failed_once)
        if name in sys.modules:
            then(sys.modules[name])
        else:
            sys.meta_path.insert(0, AfterImport(name, then))
