"""Each pass over a loader is heard where it begins, with its data, whatever these are."""

import gc
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, dataloader

from course_probe.hooks.torch.dataloader import DataloaderHooks


class Stream(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(range(6))


@pytest.fixture
def hooks() -> Iterator[DataloaderHooks]:
    kept = dataloader._BaseDataLoaderIter.__next__
    found = DataloaderHooks(SimpleNamespace(looking=False))  # type: ignore[arg-type]
    found.hook(dataloader)
    yield found
    dataloader._BaseDataLoaderIter.__next__ = kept  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("data", "batches"),
    [(TensorDataset(torch.arange(6)), 3), ([5, 6, 7, 8, 9, 10], 3), (Stream(), None)],
)
def test_a_pass_tells_its_data_and_batches(
    hooks: DataloaderHooks, data: Any, batches: int | None
) -> None:
    begun, given = [], []
    hooks.at_pass.append(lambda: begun.append(len(given)))
    hooks.at_batch.append(lambda batch, of: given.append((batch, of)))
    loader = DataLoader(data, batch_size=2)
    for _ in range(2):
        assert len([*loader]) == 3
    assert begun == [0, 3]
    assert hooks.dataset is data
    assert hooks.batches == batches
    assert not hooks.is_prepared
    assert all(of is data for _batch, of in given)


def test_nothing_is_kept_alive(hooks: DataloaderHooks) -> None:
    loader = DataLoader([*range(6)], batch_size=2)
    next(iter(loader))
    assert hooks.dataset == [*range(6)]
    del loader
    gc.collect()
    assert hooks.dataset is None


def test_a_sampler_of_accelerate_gives_a_share(hooks: DataloaderHooks) -> None:
    from accelerate.data_loader import BatchSamplerShard

    whole = DataLoader(range(8), batch_size=2)  # type: ignore[arg-type]
    share = BatchSamplerShard(whole.batch_sampler, num_processes=2, process_index=0)
    assert len([*DataLoader(range(8), batch_sampler=share)]) == 2  # type: ignore[arg-type]
    assert hooks.is_prepared
