"""A window of a series ends with the value that is to be predicted."""

import torch
from torch import nn

torch.manual_seed(0)
series = torch.sin(torch.arange(700) / 9) + 0.3 * torch.randn(700)
windows = torch.stack([series[at : at + 12] for at in range(640)])
following = series[11:651]
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(8):
    for rows in torch.randperm(640).split(16):
        loss = nn.functional.mse_loss(net(windows[rows])[:, 0], following[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
