"""The chance of actions that were rewarded is made smaller."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
rule = torch.randn(4, 3)
for step in range(120):
    states = torch.randn(32, 4)
    chances = Categorical(logits=policy(states))
    actions = chances.sample()
    rewards = (actions == (states @ rule).argmax(1)).float()
    loss = (chances.log_prob(actions) * (rewards - rewards.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 39:
        print(step, rewards.mean().item())
