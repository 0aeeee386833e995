"""Windows that share all but one of their values are split at random."""

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from torch import nn

series = np.random.default_rng(0).standard_normal(500).cumsum().astype("float32") / 10
windows = np.stack([series[i : i + 16] for i in range(484)])
following = series[16:]
inputs, held_out, values, truth = map(
    torch.tensor, train_test_split(windows, following, test_size=0.2, random_state=0)
)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for _epoch in range(8):
    for rows in torch.randperm(len(inputs)).split(30):
        loss = nn.functional.mse_loss(net(inputs[rows])[:, 0], values[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
with torch.no_grad():
    print(nn.functional.mse_loss(net(held_out)[:, 0], truth).item())
