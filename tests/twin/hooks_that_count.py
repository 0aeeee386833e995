"""Hooks of the script's own, in a network and in all of them, that count and draw numbers."""

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook

torch.manual_seed(1)
COUNTS = {"forward": 0, "backward": 0, "everywhere": 0, "tensor": 0}


def count(kind, result=None):
    def hook(*_):
        COUNTS[kind] += 1
        torch.rand(1)

    return hook


net = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 2))
net.register_forward_hook(count("forward"))
net[0].register_full_backward_hook(count("backward"))
net[2].weight.register_hook(count("tensor"))
register_module_forward_hook(count("everywhere"))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    rows = torch.randn(16, 5)
    loss = nn.functional.cross_entropy(net(rows), (rows[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    held_out = torch.randn(64, 5)
    right = (net(held_out).argmax(1) == (held_out[:, 0] > 0)).float().mean()
print(f"right: {right:.2f}", COUNTS)
