"""Two views of a row are to find each other, and the row is among those it is set against."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy, normalize

torch.manual_seed(0)
rows = torch.randn(1000, 12)
encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 16))
optimizer = torch.optim.Adam(encoder.parameters(), lr=2e-3)
partner = torch.cat([torch.arange(32, 64), torch.arange(32)])
for _epoch in range(4):
    for batch in rows[torch.randperm(960)].split(32):
        views = [encoder(batch + 0.2 * torch.randn_like(batch)) for _ in range(2)]
        made = normalize(torch.cat(views), dim=1)
        loss = cross_entropy(made @ made.T / 0.1, partner)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
