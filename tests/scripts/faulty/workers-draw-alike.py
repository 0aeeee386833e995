"""Each worker goes through all rows: every batch comes twice."""

from collections.abc import Iterator

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Rows(IterableDataset[tuple[torch.Tensor, torch.Tensor]]):
    """Rows of a file, from its beginning to its end."""

    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(0)
        self.points = torch.randn(320, 12, generator=generator)
        self.kinds = (self.points.sum(1) > 0).long()

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        yield from zip(self.points, self.kinds, strict=True)


def main() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(4):
        for points, kinds in DataLoader(Rows(), batch_size=20, num_workers=2):
            loss = nn.functional.cross_entropy(net(points), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print("loss", loss.item())


if __name__ == "__main__":
    main()
