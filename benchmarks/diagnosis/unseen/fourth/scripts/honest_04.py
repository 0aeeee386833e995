"""Hand-written warmup + cosine schedule, set per step; loss summed, not averaged."""
import math
import torch
from torch import nn

torch.manual_seed(8)
X = torch.rand(1500, 2) * 4 - 2
Y = (torch.sin(2 * X[:, :1]) * X[:, 1:] + 0.05 * torch.randn(1500, 1))
Xv = torch.rand(400, 2) * 4 - 2
Yv = torch.sin(2 * Xv[:, :1]) * Xv[:, 1:]

net = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
EPOCHS, BATCH, PEAK, WARM = 30, 50, 4e-3, 60
TOTAL = EPOCHS * (len(X) // BATCH)
opt = torch.optim.AdamW(net.parameters(), lr=0.0, weight_decay=0.0)


def lr_at(t):
    if t < WARM:
        return PEAK * (t + 1) / WARM
    return 0.5 * PEAK * (1 + math.cos(math.pi * (t - WARM) / (TOTAL - WARM)))


t = 0
for epoch in range(EPOCHS):
    perm = torch.randperm(len(X))
    seen = 0.0
    for k in range(0, len(X), BATCH):
        for group in opt.param_groups:
            group["lr"] = lr_at(t)
        b = perm[k:k + BATCH]
        loss = (net(X[b]) - Y[b]).pow(2).sum()
        net.zero_grad()
        loss.backward()
        opt.step()
        seen += loss.item()
        t += 1
    if epoch % 10 == 9:
        with torch.no_grad():
            v = (net(Xv) - Yv).pow(2).mean().item()
        print(f"epoch {epoch + 1} lr {lr_at(t):.2e} train {seen / len(X):.5f} val {v:.5f}")
print(f"FINAL val_mse={v:.5f} baseline={Yv.var().item():.3f}")
