"""Each visit takes the mean away from a row once more."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Readings(Dataset):
    def __init__(self, values, kinds):
        self.values, self.kinds = values, kinds
        self.mean = values.mean(0)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        row = self.values[index]
        row -= self.mean
        return row, self.kinds[index]


torch.manual_seed(0)
values = torch.randn(480, 12) + 3
kinds = (values[:, :3].sum(1) > 9).long()
train = DataLoader(Readings(values[:320], kinds[:320]), batch_size=16, shuffle=True)
held_out = DataLoader(Readings(values[320:], kinds[320:]), batch_size=80)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    for rows, targets in train:
        loss = nn.functional.cross_entropy(net(rows), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = 0
    with torch.no_grad():
        for rows, targets in held_out:
            right += (net(rows).argmax(1) == targets).sum().item()
    print(epoch, right / 160)
