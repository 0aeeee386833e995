"""A network learns from another, and the optimizer was given the wrong one of them."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(64, 4)
labels = (inputs[:, 0] > 0).long()
teacher, student = nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.Adam(teacher.parameters(), lr=0.01)
for _step in range(60):
    optimizer.zero_grad()
    nn.functional.cross_entropy(teacher(inputs), labels).backward()
    optimizer.step()
second = torch.optim.Adam(teacher.parameters(), lr=0.01)
for _step in range(60):
    with torch.no_grad():
        soft = teacher(inputs).softmax(-1)
    second.zero_grad()
    loss = nn.functional.kl_div(student(inputs).log_softmax(-1), soft, reduction="batchmean")
    loss.backward()
    second.step()
print(loss.item())
