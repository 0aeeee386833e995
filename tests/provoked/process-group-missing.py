"""A sampler for several processes in a script that is alone."""

import torch
from torch.utils.data import DistributedSampler, TensorDataset

data = TensorDataset(torch.rand(100, 4))
sampler = DistributedSampler(data)
