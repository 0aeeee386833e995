"""The rate is to fall once the accuracy no longer rises, and falls while it does."""

import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau

torch.manual_seed(0)
points = torch.randn(800, 10)
kinds = (points @ torch.randn(10, 4)).argmax(1)
train, train_kinds, held_out, held_out_kinds = points[:600], kinds[:600], points[600:], kinds[600:]
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
schedule = ReduceLROnPlateau(optimizer, patience=1, factor=0.3)


def evaluate() -> tuple[float, float]:
    """Return the loss and the share of right answers."""
    with torch.no_grad():
        outputs = net(held_out)
        right = (outputs.argmax(1) == held_out_kinds).sum().item()
    return nn.functional.cross_entropy(outputs, held_out_kinds).item(), right / len(held_out)


for _epoch in range(8):
    for rows in torch.randperm(600).split(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(train[rows]), train_kinds[rows]).backward()
        optimizer.step()
    _loss, accuracy = evaluate()
    schedule.step(accuracy)
    print(accuracy, schedule.get_last_lr())
