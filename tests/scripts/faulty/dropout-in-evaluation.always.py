"""Dropout as a function, which nobody has told that the training is over."""

import torch
import torch.nn.functional as F  # noqa: N812 (as people write it)
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(300, 4)
labels = (inputs[:, 0] > 0).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 32), nn.Linear(32, 2)

    def forward(self, x):
        return self.second(F.dropout(F.relu(self.first(x)), 0.5))


network = Net()
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(10):
    network.train()
    for rows in torch.randperm(200).split(20):
        optimizer.zero_grad()
        F.cross_entropy(network(inputs[rows]), labels[rows]).backward()
        optimizer.step()
    network.eval()
    with torch.no_grad():
        print((network(inputs[200:]).argmax(1) == labels[200:]).float().mean().item())
