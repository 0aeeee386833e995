"""Layers that learn their size at the first pass; a network without memory that is given some."""

import torch
from torch import nn

torch.manual_seed(13)
lazy = nn.Sequential(nn.LazyLinear(7), nn.LazyBatchNorm1d(), nn.ReLU(), nn.LazyLinear(2))
print([type(each).__name__ for each in lazy], lazy[0].weight)
lazy(torch.randn(3, 5))
print([type(each).__name__ for each in lazy], tuple(lazy[0].weight.shape))
optimizer = torch.optim.SGD(lazy.parameters(), lr=0.1)
for _ in range(6):
    rows = torch.randn(8, 5)
    loss = nn.functional.cross_entropy(lazy(rows), (rows[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

with torch.device("meta"):
    hollow = nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 2))
    shape = hollow(torch.empty(4, 5)).shape
    ids = torch.softmax(torch.zeros(2, 3), -1).argmax(-1)
    lossless = nn.functional.cross_entropy(torch.zeros(2, 3), torch.zeros(2, dtype=torch.long))
print(shape, ids.device, lossless.device, torch.zeros(1).device)
solid = hollow.to_empty(device="cpu")
for each in solid:
    if isinstance(each, nn.Linear):
        each.reset_parameters()
optimizer = torch.optim.SGD(solid.parameters(), lr=0.1)
for _ in range(6):
    rows = torch.randn(8, 5)
    loss = nn.functional.cross_entropy(solid(rows), (rows[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.6f}")
