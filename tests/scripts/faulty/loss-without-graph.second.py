"""A generator whose pictures are cut off from it, so that only the critic is reached."""

import torch
from torch import nn

torch.manual_seed(0)
generator, critic = nn.Linear(4, 2), nn.Linear(2, 1)
make = torch.optim.Adam(generator.parameters(), lr=1e-3)
judge = torch.optim.Adam(critic.parameters(), lr=1e-3)
loss = nn.BCEWithLogitsLoss()
one, zero = torch.ones(32, 1), torch.zeros(32, 1)
for _step in range(60):
    real, fake = torch.randn(32, 2) + 3, generator(torch.randn(32, 4)).detach()
    judge.zero_grad()
    (loss(critic(real), one) + loss(critic(fake), zero)).backward()
    judge.step()
    make.zero_grad()
    loss(critic(fake), one).backward()
    make.step()
print("mean", generator(torch.randn(99, 4)).mean().item())
