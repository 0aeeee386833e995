"""Both parts of a split share one dataset, which adds noise to each row."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Signals(Dataset):
    def __init__(self, waves, kinds, augment):
        self.waves, self.kinds, self.augment = waves, kinds, augment

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, index):
        wave = self.waves[index]
        if self.augment:
            wave = wave + 0.5 * torch.randn_like(wave)
        return wave, self.kinds[index]


torch.manual_seed(0)
waves = torch.randn(480, 24)
kinds = (waves[:, :4].sum(1) > 0).long()
trained, kept = random_split(Signals(waves, kinds, augment=True), [320, 160])
train_loader = DataLoader(trained, batch_size=16, shuffle=True)
val_loader = DataLoader(kept, batch_size=80)
net = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(6):
    for rows, targets in train_loader:
        loss = nn.functional.cross_entropy(net(rows), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = 0
    with torch.no_grad():
        for rows, targets in val_loader:
            right += (net(rows).argmax(1) == targets).sum().item()
    print(epoch, right / 160)
