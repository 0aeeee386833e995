"""The held-out rows are to stay as they are, and so the training loses its noise, too."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, random_split


class Points(Dataset[tuple[Tensor, Tensor]]):
    """Points of two kinds."""

    def __init__(self, transform: Callable[[Tensor], Tensor]) -> None:
        generator = torch.Generator().manual_seed(0)
        self.points = torch.randn(500, 12, generator=generator)
        self.kinds = (self.points[:, :3].sum(1) > 0).long()
        self.transform = transform

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.transform(self.points[index]), self.kinds[index]


def noisy(point: Tensor) -> Tensor:
    """Add noise."""
    return point + 0.3 * torch.randn(12)


def plain(point: Tensor) -> Tensor:
    """Leave a point as it is."""
    return point


torch.manual_seed(0)
training, held_out = random_split(Points(noisy), [400, 100])
held_out.dataset.transform = plain  # type: ignore[attr-defined]
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.005)
for _epoch in range(6):
    for points, kinds in DataLoader(training, batch_size=20, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(points), kinds).backward()
        optimizer.step()
with torch.no_grad():
    for points, kinds in DataLoader(held_out, batch_size=100):
        print((net(points).argmax(1) == kinds).float().mean().item())
