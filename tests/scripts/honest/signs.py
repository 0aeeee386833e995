"""Rewards, a divergence and a generator, each with the sign that is meant."""

import torch
from torch import nn
from torch.distributions import Categorical
from torch.nn.functional import binary_cross_entropy_with_logits as apart

torch.manual_seed(0)
policy, value = nn.Linear(4, 3), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-2)
rule = torch.randn(4, 3)
for _step in range(60):
    states = torch.randn(32, 4)
    chances = Categorical(logits=policy(states))
    actions = chances.sample()
    rewards = (actions == (states @ rule).argmax(1)).float()
    advantage = rewards - value(states)[:, 0]
    gains = chances.log_prob(actions) * advantage.detach()
    loss = -gains.mean() + advantage.pow(2).mean() - 0.01 * chances.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(rewards.mean().item())

rows = torch.sigmoid(torch.randn(320, 2) @ torch.randn(2, 20) * 2)
encoder, decoder = nn.Linear(20, 8), nn.Linear(4, 20)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for _step in range(60):
    some = rows[torch.randint(0, 320, (32,))]
    mean, log_var = encoder(some).chunk(2, 1)
    made = decoder(mean + torch.randn_like(mean) * (log_var / 2).exp())
    divergence = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
    loss = (apart(made, some, reduction="sum") + divergence) / 32
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
