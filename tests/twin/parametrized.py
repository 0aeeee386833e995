"""Spectral norm and weight norm, old and new, and a parametrization of the script's own."""

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize

torch.manual_seed(12)
COUNTS = {"symmetric": 0}


class Symmetric(nn.Module):
    def forward(self, weight):
        COUNTS["symmetric"] += 1
        return weight.triu() + weight.triu(1).mT


net = nn.Sequential(
    parametrizations.spectral_norm(nn.Linear(6, 6)),
    nn.ReLU(),
    parametrizations.weight_norm(nn.Linear(6, 6)),
    nn.utils.spectral_norm(nn.Linear(6, 6)),
    nn.Linear(6, 6),
    parametrizations.orthogonal(nn.Linear(6, 6)),
    nn.Linear(6, 2),
)
parametrize.register_parametrization(net[4], "weight", Symmetric())
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(10):
    rows = torch.randn(9, 6)
    loss = nn.functional.cross_entropy(net(rows), (rows[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        net.eval()
        with torch.no_grad():
            print(f"{net(torch.ones(1, 6)).sum():.6f}")
        net.train()
net[0].parametrizations.weight[0]._u.sum().item()
print(COUNTS, [name for name, _ in net.named_buffers()])
