"""Deterministic algorithms, anomaly detection, inference mode: all on, all looked at."""

import torch
from torch import nn

torch.manual_seed(16)
torch.use_deterministic_algorithms(True, warn_only=True)
net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
with torch.autograd.set_detect_anomaly(True):
    for _ in range(6):
        rows = torch.randn(8, 4)
        loss = nn.functional.cross_entropy(net(rows), (rows[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
torch.autograd.set_detect_anomaly(True)
try:
    torch.sqrt(torch.zeros(1, requires_grad=True) * 0 - 1).backward()
except RuntimeError as error:
    print(str(error).split(",")[0])
torch.autograd.set_detect_anomaly(False)
net.eval()
with torch.inference_mode():
    rows = torch.randn(5, 4)
    answers = net(rows).argmax(-1)
    shares = torch.softmax(net(rows), -1)
print(answers.is_inference(), rows.is_inference(), shares.sum(-1).isclose(torch.ones(5)).all())
try:
    (net[0].weight * 2).sum().backward()
    (net(rows).sum()).backward()
except RuntimeError as error:
    print(str(error))
with torch.set_grad_enabled(False):
    print(net(torch.ones(1, 4)).requires_grad, torch.is_grad_enabled())
