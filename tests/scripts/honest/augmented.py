"""Rows are augmented for the training alone, and those that are kept are made in place once."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, waves, kinds, augment):
        self.waves, self.kinds, self.augment = waves, kinds, augment

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, index):
        wave = self.waves[index]
        wave -= wave.mean()
        if self.augment and torch.rand(()) < 0.5:
            wave = wave + 0.5 * torch.randn_like(wave)
        return wave, self.kinds[index]


class Repaired(Dataset):
    """A row with noise, from which the row is learned: noise in the evaluation as well."""

    def __init__(self, waves):
        self.waves = waves

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, index):
        clean = self.waves[index]
        return clean + 0.3 * torch.randn_like(clean), clean


def epochs(net, train, held_out, loss_function):
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for epoch in range(5):
        for rows, targets in train:
            loss = loss_function(net(rows), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            told = sum(loss_function(net(rows), targets).item() for rows, targets in held_out)
        print(epoch, told / len(held_out))


torch.manual_seed(0)
waves = torch.randn(480, 24)
kinds = (waves[:, :4].sum(1) > 0).long()
epochs(
    nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 2)),
    DataLoader(Signals(waves[:320], kinds[:320], augment=True), batch_size=16, shuffle=True),
    DataLoader(Signals(waves[320:], kinds[320:], augment=False), batch_size=80),
    nn.functional.cross_entropy,
)
epochs(
    nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 24)),
    DataLoader(Repaired(waves[:320]), batch_size=16, shuffle=True),
    DataLoader(Repaired(waves[320:]), batch_size=80),
    nn.functional.mse_loss,
)
