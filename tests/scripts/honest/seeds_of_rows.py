"""Each run has its seed, each worker its own numbers, and each part of a split its own dataset."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, Subset


class Points(Dataset[tuple[Tensor, Tensor]]):
    """Points of two kinds, each from a seed of its own."""

    def __init__(self, transform: Callable[[Tensor], Tensor] | None = None) -> None:
        self.transform = transform

    def __len__(self) -> int:
        return 240

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        point = torch.tensor(np.random.default_rng(index).standard_normal(8), dtype=torch.float32)
        kind = (point[:3].sum() > 0).long()
        return (self.transform(point) if self.transform else point), kind


def noisy(point: Tensor) -> Tensor:
    """Add noise."""
    return point + 0.2 * torch.from_numpy(np.random.standard_normal(8)).float()


def begin(worker: int) -> None:
    """Give a worker numbers of its own."""
    np.random.seed((torch.initial_seed() + worker) % 2**32)


def main() -> None:
    for seed in (0, 1):
        torch.manual_seed(seed)
        order = torch.randperm(240).tolist()
        training, held_out = Subset(Points(noisy), order[:200]), Subset(Points(), order[200:])
        net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
        loader = DataLoader(training, 20, shuffle=True, num_workers=2, worker_init_fn=begin)
        for _epoch in range(2):
            for points, kinds in loader:
                loss = nn.functional.cross_entropy(net(points), kinds)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        with torch.no_grad():
            answers = [(net(points).argmax(1), kinds) for points, kinds in DataLoader(held_out, 20)]
        right = torch.cat([said == kinds for said, kinds in answers])
        print(seed, right.float().mean().item())


if __name__ == "__main__":
    main()
