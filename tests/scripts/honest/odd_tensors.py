"""What else a network may be given: no numbers at all, complex ones, a kind of one's own."""

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parametrizations

torch.manual_seed(0)


class Tagged(torch.Tensor):
    """A tensor with a name."""


rows = torch.randn(128, 16)
sorts = (rows.sum(1) > 0).long()
with torch.device("meta"):
    shapes = nn.Linear(1000, 10)(torch.empty(64, 1000)).shape
net = nn.Sequential(
    parametrizations.spectral_norm(nn.Linear(16, 8)),
    nn.ReLU(),
    parametrizations.weight_norm(nn.Linear(8, 2)),
)
optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9, nesterov=True)
for step in range(60):
    given = rows.as_subclass(Tagged) if step % 2 else rows
    loss = functional.cross_entropy(net(given), sorts)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

waves = nn.Linear(4, 4, dtype=torch.complex64)
tables = nn.EmbeddingBag(50, 4, sparse=True, mode="sum")
others = torch.optim.Adam(waves.parameters()), torch.optim.SparseAdam(list(tables.parameters()))
for _step in range(30):
    losses = (
        waves(torch.randn(8, 4, dtype=torch.complex64)).abs().pow(2).mean(),
        tables(torch.randint(0, 50, (8, 5))).pow(2).mean(),
    )
    for loss, other in zip(losses, others, strict=True):
        other.zero_grad()
        loss.backward()
        other.step()

with torch.no_grad():
    right = (net(rows).argmax(1) == sorts).float().mean().item()
print(tuple(shapes), f"{right:.2f}", [round(each.item(), 2) for each in losses])
