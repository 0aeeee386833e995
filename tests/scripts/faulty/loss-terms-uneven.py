"""A mean over all numbers stands beside a divergence that is a sum."""

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy

torch.manual_seed(0)
rows = torch.sigmoid(torch.randn(640, 3) @ torch.randn(3, 40) * 2)
encoder, decoder = nn.Linear(40, 8), nn.Linear(4, 40)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
for epoch in range(20):
    for begin in range(0, 640, 64):
        batch = rows[begin : begin + 64]
        mean, log_var = encoder(batch).chunk(2, dim=1)
        made = torch.sigmoid(decoder(mean + torch.randn_like(mean) * (log_var / 2).exp()))
        apart = binary_cross_entropy(made, batch)
        divergence = -0.5 * torch.sum(1 + log_var - mean**2 - log_var.exp())
        loss = apart + divergence
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item() / 64)
