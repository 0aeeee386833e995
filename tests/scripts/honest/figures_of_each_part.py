"""Each part is described by its own figures, and scaled by those of the training.

An accuracy that no longer rises cuts the rate.
"""

import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau

torch.manual_seed(0)
points = torch.randn(900, 6) * torch.arange(1.0, 7.0)
kinds = (points[:, :3].sum(1) > 0).long()
made = {"train": (points[:600], kinds[:600]), "test": (points[600:], kinds[600:])}
middle, width = made["train"][0].mean(0), made["train"][0].std(0)
told, parts = {}, {}
for name, (table, truth) in made.items():
    told[name] = (table.mean(0), table.std(0))
    scaled = (table - middle) / width
    parts[name] = (scaled, truth)
print(told)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = ReduceLROnPlateau(optimizer, mode="max", patience=1)
inputs, labels = parts["train"]
for epoch in range(8):
    for rows in torch.randperm(600).split(30):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(inputs[rows]), labels[rows]).backward()
        optimizer.step()
    with torch.no_grad():
        held_out, truth = parts["test"]
        accuracy = (net(held_out).argmax(1) == truth).float().mean().item()
    schedule.step(accuracy)
    print(epoch, accuracy, schedule.get_last_lr())
