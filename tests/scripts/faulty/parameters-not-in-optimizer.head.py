"""The last layer is replaced once the optimizer is made."""

import torch
from torch import nn

torch.manual_seed(0)
inputs, labels = torch.randn(64, 4), torch.randint(0, 3, (64,))
network = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 10))
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
network[2] = nn.Linear(8, 3)
for _step in range(60):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(network(inputs), labels)
    loss.backward()
    optimizer.step()
print(loss.item())
