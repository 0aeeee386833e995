"""A network as a graph of fx: traced, rewritten, compiled into code, trained."""

import torch
import torch.nn.functional as F
from torch import fx, nn

torch.manual_seed(8)


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.value, self.gate = nn.Linear(5, 5), nn.Linear(5, 5)
        self.out = nn.Linear(5, 2)

    def forward(self, rows):
        mixed = torch.relu(self.value(rows)) * torch.sigmoid(self.gate(rows))
        return self.out(F.dropout(mixed, 0.1, training=True)).log_softmax(-1)


traced = fx.symbolic_trace(Gated())
for node in traced.graph.nodes:
    if node.target is torch.relu:
        node.target = torch.tanh
traced.recompile()
optimizer = torch.optim.Adam(traced.parameters(), lr=1e-2)
for _ in range(10):
    rows = torch.randn(12, 5)
    loss = F.nll_loss(traced(rows), (rows[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(traced.code)
print([(node.op, getattr(node.target, "__name__", node.target)) for node in traced.graph.nodes])
