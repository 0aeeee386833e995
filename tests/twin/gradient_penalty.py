"""A critic with a gradient penalty: a second derivative in each step, `autograd.grad` too."""

import torch
from torch import nn

torch.manual_seed(10)
COUNTS = {"passes": 0}


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, rows):
        COUNTS["passes"] += 1
        return self.body(rows)


critic = Critic()
optimizer = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
for _ in range(15):
    true, false = torch.randn(8, 3) + 1, torch.randn(8, 3)
    share = torch.rand(8, 1)
    between = (share * true + (1 - share) * false).requires_grad_()
    (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    penalty = ((slope.norm(dim=1) - 1) ** 2).mean()
    loss = critic(false).mean() - critic(true).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
inputs = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(lambda x: torch.tanh(x).prod(1), inputs))
print(torch.autograd.gradgradcheck(lambda x: torch.sigmoid(x).sum(1), inputs))
print(f"{loss.item():.6f}", COUNTS)
