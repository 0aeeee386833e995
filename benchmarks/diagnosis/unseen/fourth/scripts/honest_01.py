"""WGAN with gradient penalty on a ring of gaussians"""
import math
import torch
from torch import nn, autograd

torch.manual_seed(0)
MODES = 6


def real_batch(n):
    k = torch.randint(0, MODES, (n,)) * (2 * math.pi / MODES)
    return torch.stack([k.cos(), k.sin()], 1) + 0.05 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
D = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=2e-3, betas=(0.0, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.0, 0.9))


def penalty(real, fake):
    eps = torch.rand(len(real), 1)
    mid = (eps * real + (1 - eps) * fake).requires_grad_(True)
    (grad,) = autograd.grad(D(mid).sum(), mid, create_graph=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


@torch.no_grad()
def radius_error():
    pts = G(torch.randn(1000, 4))
    return (pts.norm(dim=1) - 1).abs().mean().item()


print("mean |r - 1| before", round(radius_error(), 3))
for it in range(300):
    for _ in range(3):
        real = real_batch(64)
        fake = G(torch.randn(64, 4)).detach()
        critic_loss = D(fake).mean() - D(real).mean() + 2.0 * penalty(real, fake)
        opt_d.zero_grad()
        critic_loss.backward()
        opt_d.step()
    gen_loss = -D(G(torch.randn(64, 4))).mean()
    opt_g.zero_grad()
    gen_loss.backward()
    opt_g.step()
    if it % 100 == 99:
        print(f"{it + 1}: critic {critic_loss.item():.3f} gen {gen_loss.item():.3f} |r-1| {radius_error():.3f}")
print(f"FINAL radius_error={radius_error():.4f}")
