"""A barrier that the other process never reaches."""

from datetime import timedelta

from torch import distributed

store = distributed.HashStore()
store.set_timeout(timedelta(milliseconds=300))
distributed.init_process_group(
    "gloo", store=store, rank=0, world_size=2, timeout=timedelta(milliseconds=300)
)
