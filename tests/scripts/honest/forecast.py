"""A forecast from what is known at its time, by windows of which the last are held out."""

import numpy as np
import pandas as pd
import torch
from torch import nn

series = np.random.default_rng(0).standard_normal(600).cumsum()
frame = pd.DataFrame({"value": series})
frame["level"] = frame["value"].rolling(5).mean() - frame["value"]
frame["change"] = frame["value"].shift(-1) - frame["value"]
frame = frame.dropna()
table = frame[["level", "change"]].to_numpy().astype("float32")
windows = torch.tensor(np.stack([table[i : i + 8, 0] for i in range(len(table) - 8)]))
changes = torch.tensor(table[7:-1, 1])
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for _epoch in range(10):
    for rows in torch.randperm(450).split(30):
        loss = nn.functional.mse_loss(net(windows[rows])[:, 0], changes[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
with torch.no_grad():
    print(nn.functional.mse_loss(net(windows[460:])[:, 0], changes[460:]).item())
