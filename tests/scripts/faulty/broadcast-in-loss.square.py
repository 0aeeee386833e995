"""A bias of shape (rows, 1) beside sums of shape (rows,): the outputs are of each row with each."""

import torch
from torch import nn

torch.manual_seed(0)
people, things = torch.randint(40, (800,)), torch.randint(30, (800,))
table = torch.randn(40, 1) + torch.randn(30)
stars = table[people, things]
taste, style, mood = nn.Embedding(40, 4), nn.Embedding(30, 4), nn.Embedding(40, 1)
parts = nn.ModuleList([taste, style, mood])
optimizer = torch.optim.Adam(parts.parameters(), lr=0.01)
for _epoch in range(10):
    for rows in torch.randperm(800).split(32):
        optimizer.zero_grad()
        answers = (taste(people[rows]) * style(things[rows])).sum(1) + mood(people[rows])
        loss = nn.functional.mse_loss(answers, stars[rows])
        loss.backward()
        optimizer.step()
    print(loss.item())
