"""Denoising diffusion of two moons: the loss stays high, and that is as it should be."""
import torch
import torch.nn as nn
from sklearn.datasets import make_moons

torch.manual_seed(0)
T = 40
betas = torch.linspace(1e-3, 0.25, T)
alphas_bar = torch.cumprod(1 - betas, dim=0)
data, _ = make_moons(2000, noise=0.04, random_state=0)
data = torch.tensor(data, dtype=torch.float32)
data = (data - data.mean(0)) / data.std(0)


class NoisePredictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Embedding(T, 32)
        self.inp = nn.Linear(2, 64)
        self.mid = nn.Linear(64 + 32, 64)
        self.out = nn.Linear(64, 2)

    def forward(self, x, t):
        h = torch.relu(self.inp(x))
        h = torch.relu(self.mid(torch.cat([h, self.time(t)], dim=1)))
        return self.out(h)


model = NoisePredictor()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(1200):
    x0 = data[torch.randint(0, len(data), (128,))]
    t = torch.randint(0, T, (128,))
    noise = torch.randn_like(x0)
    a = alphas_bar[t].unsqueeze(1)
    xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
    loss = nn.functional.mse_loss(model(xt, t), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 300 == 0:
        print(f"step {step} loss {loss.item():.3f}")

with torch.no_grad():
    x = torch.randn(500, 2)
    for i in reversed(range(T)):
        t = torch.full((500,), i)
        eps = model(x, t)
        x = (x - betas[i] / (1 - alphas_bar[i]).sqrt() * eps) / (1 - betas[i]).sqrt()
        if i > 0:
            x = x + betas[i].sqrt() * torch.randn_like(x)
    distance = torch.cdist(x, data).min(dim=1).values.mean().item()
print("mean distance of samples to the data", distance)
print("RESULT", -distance)
