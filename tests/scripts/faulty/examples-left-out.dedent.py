"""The step stands behind the loop over the batches: of each pass the last batch alone trains."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
inputs = torch.randn(400, 4)
loader = DataLoader(TensorDataset(inputs, inputs @ torch.randn(4)), 20, shuffle=True)
network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(8):
    total = 0.0
    for rows, targets in loader:
        loss = criterion(network(rows).squeeze(1), targets)
        total += loss.item()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(total / len(loader))
