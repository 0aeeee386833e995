"""Patients have several rows and one label, and each patient is on one side; clusters are not."""

import torch
from torch import nn

torch.manual_seed(0)
rows, kinds = [], []
for patient in range(60):
    kind = patient % 2
    own = torch.randn(12) * 2
    for _visit in range(10):
        rows.append(own + 0.6 * kind + 0.3 * torch.randn(12))
        kinds.append(kind)
points, labels = torch.stack(rows).view(60, 10, 12), torch.tensor(kinds).view(60, 10)
order = torch.randperm(60)
train, held_out = order[:45], order[45:]
net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=1e-3)
for _epoch in range(12):
    for batch in train[torch.randperm(45)].split(3):
        optimizer.zero_grad()
        outputs = net(points[batch].flatten(0, 1))
        nn.functional.cross_entropy(outputs, labels[batch].flatten()).backward()
        optimizer.step()
net.eval()
with torch.no_grad():
    outputs = net(points[held_out].flatten(0, 1))
    print((outputs.argmax(1) == labels[held_out].flatten()).float().mean())
