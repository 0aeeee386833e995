"""The tables of a recommender are left out of the groups that its optimizer is made of."""

import torch
from torch import nn


class Stars(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.taste, self.style = nn.Embedding(40, 4), nn.Embedding(30, 4)
        self.mood, self.fame = nn.Embedding(40, 1), nn.Embedding(30, 1)

    def forward(self, people: torch.Tensor, things: torch.Tensor) -> torch.Tensor:
        dot = (self.taste(people) * self.style(things)).sum(1)
        return dot + self.mood(people).squeeze(1) + self.fame(things).squeeze(1)


torch.manual_seed(0)
people, things = torch.randint(40, (800,)), torch.randint(30, (800,))
stars = torch.randn(40)[people] + (torch.randn(40, 3) @ torch.randn(3, 30))[people, things]
network = Stars()
optimizer = torch.optim.Adam(
    [{"params": [network.mood.weight, network.fame.weight], "weight_decay": 0.0}], lr=0.01
)
for _epoch in range(10):
    for rows in torch.randperm(800).split(32):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(network(people[rows], things[rows]), stars[rows])
        loss.backward()
        optimizer.step()
    print(loss.item())
