"""Workers in new processes that are sent functions of torch; a collator, a sampler, a pool."""

import multiprocessing

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self):
        self.rows = torch.arange(60.0).view(20, 3) / 60 - 0.5
        self.turn = torch.relu
        self.also = (torch.softmax, nn.functional.cross_entropy, torch.Tensor.mean, torch.max)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        return self.turn(self.rows[place]), place % 2


def square(value):
    return value * value


if __name__ == "__main__":
    torch.manual_seed(20)
    loader = DataLoader(
        Rows(), batch_size=5, shuffle=True, num_workers=1, multiprocessing_context="spawn"
    )
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for rows, labels in loader:
        loss = nn.functional.cross_entropy(net(rows), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.6f}")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(square, range(5)))
    del loader, pool
