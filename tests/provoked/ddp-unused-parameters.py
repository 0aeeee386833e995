"""A part has no share in the loss, and DistributedDataParallel waits for its gradient."""

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(4, 2), nn.Linear(4, 2)

    def forward(self, x):
        return self.used(x)


store = distributed.HashStore()
distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
model = DistributedDataParallel(Net())
for _step in range(2):
    model(torch.randn(8, 4)).sum().backward()
