"""The penalty on a critic's slope is a number, from which nothing is learned."""

import torch
from torch import Tensor, nn

torch.manual_seed(0)
maker = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
of_maker = torch.optim.Adam(maker.parameters(), lr=1e-3)
of_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
real = torch.randn(500, 2) * 0.3 + torch.tensor([2.0, -1.0])


def penalty(one: Tensor, other: Tensor) -> Tensor:
    """Tell how far the critic's slope is from 1."""
    share = torch.rand(len(one), 1)
    between = (share * one + (1 - share) * other).requires_grad_()
    (slope,) = torch.autograd.grad(critic(between).sum(), between)
    return ((slope.norm(dim=1) - 1) ** 2).mean()


for _step in range(80):
    rows = real[torch.randint(0, 500, (32,))]
    made = maker(torch.randn(32, 4)).detach()
    loss = critic(made).mean() - critic(rows).mean() + 10 * penalty(rows, made)
    of_critic.zero_grad()
    loss.backward()
    of_critic.step()
    won = -critic(maker(torch.randn(32, 4))).mean()
    of_maker.zero_grad()
    won.backward()
    of_maker.step()
print(loss.item(), won.item())
