"""A network is asked before its training, for comparison, and left in evaluation mode."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(300, 4)
labels = (inputs[:, 0] > 0).long()
network = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Dropout(0.4), nn.Linear(32, 2))
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)


def score() -> float:
    network.eval()
    with torch.no_grad():
        return (network(inputs[200:]).argmax(1) == labels[200:]).float().mean().item()


print("before", score())
for _epoch in range(10):
    for rows in torch.randperm(200).split(20):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(inputs[rows]), labels[rows]).backward()
        optimizer.step()
    print(score())
