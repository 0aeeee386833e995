"""A small network on a table, with a schedule by the validation loss."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(256, 6)
y = x @ torch.randn(6, 1) + 0.1 * torch.randn(256, 1)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
for _epoch in range(20):
    for start in range(0, 192, 32):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[start : start + 32]), y[start : start + 32])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        held_out = nn.functional.mse_loss(model(x[192:]), y[192:])
    schedule.step(held_out)
print("validation", round(held_out.item(), 4))
