"""A generator's images go backward through the discriminator's loss, and then again."""

import torch
from torch import nn

generator = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 4))
discriminator = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
for_generator = torch.optim.Adam(generator.parameters())
for_discriminator = torch.optim.Adam(discriminator.parameters())
fake = generator(torch.randn(8, 2))
loss_d = nn.functional.softplus(discriminator(fake)).mean()
loss_d.backward()
loss_g = nn.functional.softplus(-discriminator(fake)).mean()
loss_g.backward()
