"""Data without a length, and data, samplers and collators that count what they are asked."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, Sampler

torch.manual_seed(22)
COUNTS = {"len": 0, "item": 0, "order": 0, "sampler": 0, "collated": 0, "stream": 0, "iter": 0}


class Stream(IterableDataset):
    def __len__(self):
        COUNTS["stream"] += 1
        raise NotImplementedError("it has no end that anybody knew")

    def __iter__(self):
        COUNTS["iter"] += 1
        for _ in range(30):
            row = torch.randn(4)
            yield row, int(row[0] > 0)


class Rows(Dataset):
    def __len__(self):
        COUNTS["len"] += 1
        return 24

    def __getitem__(self, place):
        COUNTS["item"] += 1
        row = torch.randn(4)
        return row, int(row[0] > 0)


class Order(Sampler):
    def __len__(self):
        COUNTS["sampler"] += 1
        return 24

    def __iter__(self):
        COUNTS["order"] += 1
        return iter(torch.randperm(24).tolist())


def collate(rows):
    COUNTS["collated"] += 1
    return torch.utils.data.default_collate(rows)


def endless():
    while True:
        yield torch.randn(8, 4)


net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def train(batches):
    for rows, labels in batches:
        loss = nn.functional.cross_entropy(net(rows), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.6f}", COUNTS)


for _ in range(2):
    train(DataLoader(Stream(), batch_size=6))
    train(DataLoader(Rows(), batch_size=6, sampler=Order(), collate_fn=collate))
    train(DataLoader(Rows(), batch_size=5, shuffle=True, drop_last=True))
rows = endless()
for _ in range(4):
    some = next(rows)
    loss = nn.functional.cross_entropy(net(some), (some[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    held_out = Rows()
    right = sum(int(net(held_out[n][0]).argmax()) == held_out[n][1] for n in range(12))
print(right, COUNTS)
