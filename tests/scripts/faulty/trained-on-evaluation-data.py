"""All nodes of a graph have labels, and all of them are trained on."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(120, 4)
labels = (inputs[:, 0] > 0).long()
train_mask = torch.rand(120) < 0.4
test_mask = ~train_mask
network = nn.Linear(4, 2)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(60):
    optimizer.zero_grad()
    nn.functional.cross_entropy(network(inputs), labels).backward()
    optimizer.step()
with torch.no_grad():
    right = network(inputs).argmax(1) == labels
print(right[train_mask].float().mean().item(), right[test_mask].float().mean().item())
