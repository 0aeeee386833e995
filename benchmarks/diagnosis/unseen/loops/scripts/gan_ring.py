import math

import torch
import torch.nn as nn

torch.manual_seed(3)
LATENT = 8
BATCH = 128


def real_batch(n):
    angle = torch.rand(n) * 2 * math.pi
    return torch.stack([torch.cos(angle), torch.sin(angle)], 1) + 0.05 * torch.randn(n, 2)


netG = nn.Sequential(nn.Linear(LATENT, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
netD = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))

criterion = nn.BCEWithLogitsLoss()
optD = torch.optim.Adam(netD.parameters(), lr=4e-3, betas=(0.5, 0.999))
optG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
real_label = torch.ones(BATCH, 1)
fake_label = torch.zeros(BATCH, 1)

for step in range(900):
    # ---- discriminator
    real = real_batch(BATCH)
    noise = torch.randn(BATCH, LATENT)
    fake = netG(noise)
    netD.zero_grad()
    lossD_real = criterion(netD(real), real_label)
    lossD_fake = criterion(netD(fake.detach()), fake_label)
    lossD = lossD_real + lossD_fake
    lossD.backward()
    optD.step()

    # ---- generator
    netG.zero_grad()
    lossG = criterion(netD(fake), real_label)
    lossG.backward()
    optG.step()

    if step % 150 == 0:
        print(f"[{step}] Loss_D: {lossD.item():.3f} Loss_G: {lossG.item():.3f}")

with torch.no_grad():
    points = netG(torch.randn(1000, LATENT))
    radius = points.norm(dim=1)
    print("mean radius", radius.mean().item(), "spread", radius.std().item())
    print("RESULT", -(radius - 1).abs().mean().item())
