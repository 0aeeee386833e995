"""Similarities are divided by the number that they are to be multiplied by."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy, normalize

torch.manual_seed(0)
questions = torch.randn(1280, 10)
answers = questions @ torch.randn(10, 14) + 0.1 * torch.randn(1280, 14)
ask, answer = nn.Linear(10, 16), nn.Linear(14, 16)
optimizer = torch.optim.Adam([*ask.parameters(), *answer.parameters()], lr=3e-3)
for _epoch in range(4):
    for chosen in torch.randperm(1280).split(32):
        one, other = normalize(ask(questions[chosen])), normalize(answer(answers[chosen]))
        loss = cross_entropy(one @ other.T / 20, torch.arange(32))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
