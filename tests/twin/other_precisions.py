"""Half the bits and twice the bits; autocast; the default turned over and back."""

import torch
from torch import nn

torch.manual_seed(15)
small = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)).to(torch.bfloat16)
optimizer = torch.optim.SGD(small.parameters(), lr=0.1)
for _ in range(8):
    rows = torch.randn(7, 6, dtype=torch.bfloat16)
    loss = nn.functional.cross_entropy(small(rows), rows[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.dtype, loss.item())

torch.set_default_dtype(torch.float64)
large = nn.GRU(4, 5, batch_first=True)
optimizer = torch.optim.LBFGS(large.parameters(), lr=0.5, max_iter=4)
steps = torch.randn(3, 6, 4)
COUNTS = {"closure": 0}


def closure():
    COUNTS["closure"] += 1
    optimizer.zero_grad()
    loss = (large(steps)[0][..., 0] - steps[..., 0]).square().mean()
    loss.backward()
    return loss


for _ in range(3):
    loss = optimizer.step(closure)
print(loss.dtype, repr(loss.item()), COUNTS)
torch.set_default_dtype(torch.float32)

mixed = nn.Linear(6, 2)
optimizer = torch.optim.AdamW(mixed.parameters(), lr=1e-2)
for _ in range(4):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = mixed(torch.ones(2, 6))
        loss = nn.functional.cross_entropy(scores, torch.tensor([0, 1]))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(scores.dtype, loss.dtype, torch.is_autocast_enabled("cpu"))
