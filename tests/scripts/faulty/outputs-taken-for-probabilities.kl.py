"""A divergence of probabilities, where their logarithms are wanted."""

import torch
from torch import nn

torch.manual_seed(0)
inputs, wanted = torch.randn(64, 4), torch.randn(64, 3).softmax(-1)
network = nn.Linear(4, 3)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
criterion = nn.KLDivLoss(reduction="batchmean")
for _step in range(60):
    optimizer.zero_grad()
    loss = criterion(network(inputs).softmax(-1), wanted)
    loss.backward()
    optimizer.step()
print(loss.item())
