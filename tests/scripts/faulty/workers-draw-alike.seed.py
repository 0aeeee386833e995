"""Each worker begins with the same seed."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


class Pieces(Dataset[tuple[Tensor, Tensor]]):
    """Pieces of a long series, at places by chance."""

    def __init__(self) -> None:
        self.series = np.random.default_rng(0).standard_normal(2000).cumsum().astype("float32") / 10

    def __len__(self) -> int:
        return 240

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        begin = np.random.randint(1980)
        piece = self.series[begin : begin + 17]
        return torch.tensor(piece[:16]), torch.tensor(piece[16])


def begin(_worker: int) -> None:
    """Prepare a worker."""
    np.random.seed(7)


def main() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    loader = DataLoader(Pieces(), batch_size=20, num_workers=2, worker_init_fn=begin)
    for epoch in range(3):
        for pieces, following in loader:
            loss = nn.functional.mse_loss(net(pieces)[:, 0], following)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
