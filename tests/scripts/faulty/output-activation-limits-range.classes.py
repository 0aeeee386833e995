"""A ReLU behind the last layer, before the loss of the classes."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(300, 4)
labels = (inputs[:, 0] > 0).long() + (inputs[:, 1] > 0).long()
network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3), nn.ReLU())
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(10):
    for rows in torch.randperm(300).split(20):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(network(inputs[rows]), labels[rows])
        loss.backward()
        optimizer.step()
    print(loss.item())
