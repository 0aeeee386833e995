"""A network traced by example, with what the tracer warns of, and trained as it was traced."""

import torch
from torch import nn

torch.manual_seed(7)


class Branching(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, rows):
        hidden = self.layer(rows)
        if hidden.sum() > 0:
            hidden = torch.relu(hidden)
        return torch.softmax(hidden, dim=-1)


net = Branching()
traced = torch.jit.trace(net, torch.ones(2, 4))
optimizer = torch.optim.SGD(traced.parameters(), lr=0.1)
for _ in range(5):
    rows = torch.randn(6, 4)
    loss = -torch.log(traced(rows)[:, 0]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(traced.graph)
