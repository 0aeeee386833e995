"""Two networks against each other, each with an optimizer of its own."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
make = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
judge = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.999))
loss = nn.BCEWithLogitsLoss()
one, zero = torch.ones(32, 1), torch.zeros(32, 1)
for _step in range(60):
    real, fake = torch.randn(32, 2) + 3, generator(torch.randn(32, 4))
    judge.zero_grad()
    (loss(critic(real), one) + loss(critic(fake.detach()), zero)).backward()
    judge.step()
    make.zero_grad()
    loss(critic(fake), one).backward()
    make.step()
print("mean", generator(torch.randn(99, 4)).mean().item())
