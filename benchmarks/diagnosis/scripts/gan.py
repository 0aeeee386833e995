"""A generator learns where the points of a cloud lie."""

import torch
from torch import nn

SEED = 0
torch.manual_seed(SEED)
NOISE = 4
generator = nn.Sequential(nn.Linear(NOISE, 32), nn.ReLU(), nn.Linear(32, 2))
discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer_g = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
for step in range(200):
    real = torch.randn(64, 2) * 0.3 + torch.tensor([2.0, -1.0])
    fake = generator(torch.randn(64, NOISE))
    optimizer_d.zero_grad()
    loss_real = criterion(discriminator(real), torch.ones(64, 1))
    loss_fake = criterion(discriminator(fake.detach()), torch.zeros(64, 1))
    loss_d = loss_real + loss_fake
    loss_d.backward()
    optimizer_d.step()
    optimizer_g.zero_grad()
    loss_g = criterion(discriminator(fake), torch.ones(64, 1))
    loss_g.backward()
    optimizer_g.step()
    if step % 50 == 49:
        print(step, loss_d.item(), loss_g.item(), fake.mean(dim=0).tolist())
