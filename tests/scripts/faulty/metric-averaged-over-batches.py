"""F1 is computed of each batch, and averaged."""

import torch
from sklearn.metrics import f1_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
points = torch.randn(800, 10)
kinds = (points[:, 0] > 1).long()
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(4):
    for begin in range(0, 640, 16):
        rows = slice(begin, begin + 16)
        loss = nn.functional.cross_entropy(net(points[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
net.eval()
loader = DataLoader(TensorDataset(points[640:], kinds[640:]), 16)
scores = []
with torch.no_grad():
    for rows, truth in loader:
        answers = net(rows).argmax(1)
        scores.append(f1_score(truth.numpy(), answers.numpy()))
print("F1", sum(scores) / len(scores))
