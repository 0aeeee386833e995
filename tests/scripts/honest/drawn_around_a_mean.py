"""Autoencoders that draw: one has the logarithm of a variance, one that of its root."""

import torch
from torch import nn
from torch.distributions import Normal, kl_divergence
from torch.nn.functional import mse_loss

torch.manual_seed(0)
rows = torch.randn(1280, 3) @ torch.randn(3, 12)
encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))
decoder = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 12))
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=2e-3)
for way in ("variance", "deviation", "distribution"):
    for batch in rows[torch.randperm(1280)].split(32):
        mean, log = encoder(batch).chunk(2, dim=1)
        if way == "variance":
            drawn = mean + torch.exp(0.5 * log) * torch.randn_like(mean)
            kl = -0.5 * (1 + log - mean**2 - log.exp()).sum(1).mean()
        elif way == "deviation":
            drawn = mean + torch.exp(log) * torch.randn_like(mean)
            kl = -0.5 * (1 + 2 * log - mean**2 - (2 * log).exp()).sum(1).mean()
        else:
            around = Normal(mean, log.exp())
            drawn = around.rsample()
            kl = kl_divergence(around, Normal(0.0, 1.0)).sum(1).mean()
        loss = mse_loss(decoder(drawn), batch, reduction="sum") / len(batch) + kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
