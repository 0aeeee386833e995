"""Each patient has several rows and one label, and the rows are split one by one."""

import torch
from torch import nn

torch.manual_seed(0)
rows, kinds = [], []
for patient in range(60):
    kind = patient % 2
    own = torch.randn(12) * 2
    for _visit in range(10):
        rows.append(own + 0.1 * kind + 0.3 * torch.randn(12))
        kinds.append(kind)
points, labels = torch.stack(rows), torch.tensor(kinds)
order = torch.randperm(len(points))
train, held_out = order[:450], order[450:]
net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for _epoch in range(12):
    for batch in train[torch.randperm(450)].split(30):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(points[batch]), labels[batch]).backward()
        optimizer.step()
net.eval()
with torch.no_grad():
    print((net(points[held_out]).argmax(1) == labels[held_out]).float().mean())
