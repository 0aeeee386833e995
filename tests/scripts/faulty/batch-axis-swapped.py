"""A recurrent layer without `batch_first` is given examples × time, and its last time is taken."""

import torch
from torch import nn

torch.manual_seed(0)
series = torch.randn(400, 9, 1)
targets = series.sum(1)
layer, head = nn.LSTM(1, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*layer.parameters(), *head.parameters()], lr=0.01)
for _epoch in range(6):
    for rows in torch.randperm(400).split(32):
        outputs, _state = layer(series[rows])
        loss = nn.functional.mse_loss(head(outputs[:, -1]), targets[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())
