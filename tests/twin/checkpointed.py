"""Blocks that are run again in the backward pass, both ways, with dropout inside."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(11)
COUNTS = {"block": 0}


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.drop = nn.Linear(8, 8), nn.Dropout(0.3)

    def forward(self, rows):
        COUNTS["block"] += 1
        return rows + self.drop(torch.relu(self.layer(rows)))


first, second = Block(), Block()
tail = nn.Sequential(Block(), Block(), nn.Linear(8, 2))
everything = [*first.parameters(), *second.parameters(), *tail.parameters()]
optimizer = torch.optim.AdamW(everything, lr=1e-2)
for _ in range(8):
    rows = torch.randn(10, 8, requires_grad=True)
    hidden = checkpoint(first, rows, use_reentrant=True)
    hidden = checkpoint(second, hidden, use_reentrant=False)
    scores = checkpoint_sequential(tail, 2, hidden, use_reentrant=False)
    loss = nn.functional.cross_entropy(scores, (rows[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.6f}", COUNTS)
