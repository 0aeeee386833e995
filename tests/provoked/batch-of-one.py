"""A last batch of one example, in training mode."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
for (rows,) in DataLoader(TensorDataset(torch.randn(9, 4)), batch_size=4):
    model(rows)
