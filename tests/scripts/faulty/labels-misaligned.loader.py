"""What a teacher said of the rows as they are stored meets rows that were shuffled."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
points = torch.randn(480, 8)
kinds = (points @ torch.randn(8, 3)).argmax(1)
rows = TensorDataset(points, kinds)
teacher = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(teacher.parameters(), lr=0.01)
for _epoch in range(4):
    for some, truth in DataLoader(rows, batch_size=24, shuffle=True):
        optimizer.zero_grad()
        F.cross_entropy(teacher(some), truth).backward()
        optimizer.step()
with torch.no_grad():
    said = teacher(points).softmax(1)
student = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 3))
optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
loader = DataLoader(rows, batch_size=24, shuffle=True)
for _epoch in range(6):
    for number, (some, truth) in enumerate(loader):
        outputs = student(some)
        soft = said[number * 24 : (number + 1) * 24]
        loss = F.cross_entropy(outputs, truth) + 2 * F.cross_entropy(outputs, soft)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
with torch.no_grad():
    print((student(points).argmax(1) == kinds).float().mean().item())
