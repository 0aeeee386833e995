"""A share that is to be kept is given to a layer that drops so many."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(600, 12)
labels = (inputs[:, :4].sum(1) > 0).long()
net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Dropout(0.9), nn.Linear(48, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for _epoch in range(6):
    net.train()
    for rows in torch.randperm(500).split(25):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(inputs[rows]), labels[rows])
        loss.backward()
        optimizer.step()
net.eval()
with torch.no_grad():
    right = (net(inputs[500:]).argmax(1) == labels[500:]).float().mean()
print(f"accuracy: {right:.3f}")
