"""Both factors of a product begin with zeros only, so that neither of them ever gets a gradient."""

import torch
from torch import nn

torch.manual_seed(0)
people, things = torch.randint(40, (800,)), torch.randint(30, (800,))
stars = torch.randn(40)[people] + (torch.randn(40, 3) @ torch.randn(3, 30))[people, things]
taste, style, mood = nn.Embedding(40, 4), nn.Embedding(30, 4), nn.Embedding(40, 1)
nn.init.zeros_(taste.weight)
nn.init.zeros_(style.weight)
parts = nn.ModuleList([taste, style, mood])
optimizer = torch.optim.Adam(parts.parameters(), lr=0.01)
for _epoch in range(10):
    for rows in torch.randperm(800).split(32):
        optimizer.zero_grad()
        dot = (taste(people[rows]) * style(things[rows])).sum(1)
        loss = nn.functional.mse_loss(dot + mood(people[rows]).squeeze(1), stars[rows])
        loss.backward()
        optimizer.step()
    print(loss.item())
