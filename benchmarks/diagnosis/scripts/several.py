"""Several labels at once: which of five signals are in a row."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
generator = torch.Generator().manual_seed(SEED)
torch.manual_seed(SEED)
patterns = torch.randn(5, 20, generator=generator)
present = (torch.rand(800, 5, generator=generator) < 0.4).float()
signals = present @ patterns + 0.3 * torch.randn(800, 20, generator=generator)


class Tagger(nn.Module):
    def __init__(self, inputs=20, labels=5):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 64), nn.GELU(), nn.Dropout(0.1))
        self.head = nn.Linear(64, labels)

    def forward(self, x):
        return self.head(self.body(x))


def accuracy(model, loader):
    model.eval()
    equal = []
    with torch.no_grad():
        for x, y in loader:
            equal.append(((model(x) > 0).float() == y).float().mean().item())
    return sum(equal) / len(equal)


train_loader = DataLoader(TensorDataset(signals[:640], present[:640]), 16, shuffle=True)
dev_loader = DataLoader(TensorDataset(signals[640:], present[640:]), 32)
model = Tagger()
loss_function = nn.BCEWithLogitsLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for epoch in range(4):
    model.train()
    for x, y in train_loader:
        loss = loss_function(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(epoch, accuracy(model, dev_loader))
