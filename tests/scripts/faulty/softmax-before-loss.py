"""A softmax in front of cross entropy."""

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 8))
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
for _step in range(40):
    first = torch.randn(12, 6)
    second = first + 0.1 * torch.randn(12, 6)
    one, other = (nn.functional.normalize(encoder(each), dim=1) for each in (first, second))
    loss = nn.functional.cross_entropy((one @ other.T / 0.1).softmax(1), torch.arange(12))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
