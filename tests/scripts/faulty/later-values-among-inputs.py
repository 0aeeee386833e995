"""The mean around each day holds the days that are to be foretold."""

import numpy as np
import pandas as pd
import torch
from torch import nn

series = np.random.default_rng(0).standard_normal(600).cumsum()
frame = pd.DataFrame({"value": series})
frame["level"] = frame["value"].rolling(5, center=True).mean() - frame["value"]
frame["change"] = frame["value"].shift(-1) - frame["value"]
frame = frame.dropna()
inputs = torch.tensor(frame[["level"]].to_numpy(), dtype=torch.float32)
changes = torch.tensor(frame["change"].to_numpy(), dtype=torch.float32)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for _epoch in range(10):
    for rows in torch.randperm(450).split(30):
        loss = nn.functional.mse_loss(net(inputs[rows])[:, 0], changes[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
with torch.no_grad():
    print(nn.functional.mse_loss(net(inputs[450:])[:, 0], changes[450:]).item())
