"""A trained network exported, strictly and not, and the exported program run."""

import torch
from torch import nn

torch.manual_seed(5)
net = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(20):
    rows = torch.randn(16, 6)
    loss = nn.functional.cross_entropy(net(rows), rows[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net.eval()
sample = torch.randn(4, 6)
for strict in (False, True):
    program = torch.export.export(net, (sample,), strict=strict)
    names = [node.name for node in program.graph.nodes]
    out = program.module()(sample)
    print(strict, names, torch.equal(out, net(sample)))
