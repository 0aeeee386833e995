"""An autoencoder's noise has the variance as its factor, where its root is meant."""

import torch
from torch import nn
from torch.nn.functional import mse_loss

torch.manual_seed(0)
rows = torch.randn(1280, 3) @ torch.randn(3, 12)


class Autoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))
        self.decoder = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 12))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        mean, logvar = self.encoder(x).chunk(2, dim=1)
        noise = torch.randn_like(mean)
        return self.decoder(mean + noise * logvar.exp()), mean, logvar


model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for _epoch in range(4):
    for batch in rows[torch.randperm(1280)].split(32):
        made, mean, logvar = model(batch)
        kl = -0.5 * (1 + logvar - mean**2 - logvar.exp()).sum(1).mean()
        loss = mse_loss(made, batch, reduction="sum") / len(batch) + kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
