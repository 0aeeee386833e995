"""Tell three kinds of rows of a table apart."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
torch.manual_seed(SEED)
centres = torch.randn(3, 12) * 2
kinds = torch.randint(0, 3, (960,))
rows = centres[kinds] + torch.randn(960, 12)
train = DataLoader(TensorDataset(rows[:768], kinds[:768]), batch_size=32, shuffle=True)
valid = DataLoader(TensorDataset(rows[768:], kinds[768:]), batch_size=64)

model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(4):
    model.train()
    for x, y in train:
        optimizer.zero_grad()
        logits = model(x)
        loss = criterion(logits, y)
        loss.backward()
        optimizer.step()
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in valid:
            predicted = model(x).argmax(dim=1)
            correct += (predicted == y).sum().item()
    print(epoch, loss.item(), correct / 192)
