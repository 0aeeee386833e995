"""The same loss as a formula: the sum below the line has each row's similarity with itself."""

import torch
from torch import nn
from torch.nn.functional import normalize

torch.manual_seed(0)
rows = torch.randn(960, 12)


class Projector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return normalize(self.body(x), dim=-1)


def contrast(one: torch.Tensor, other: torch.Tensor, temperature: float = 0.2) -> torch.Tensor:
    together = torch.exp((one * other).sum(-1) / temperature).repeat(2)
    both = torch.cat([one, other])
    everyone = torch.exp(both @ both.T / temperature).sum(1)
    return -torch.log(together / everyone).mean()


model = Projector()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for _epoch in range(4):
    for batch in rows[torch.randperm(960)].split(32):
        noise = 0.2 * torch.randn(2, *batch.shape)
        loss = contrast(model(batch + noise[0]), model(batch + noise[1]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
