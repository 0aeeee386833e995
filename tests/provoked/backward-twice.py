"""One loss goes backward two times, in a function that is given the only optimizer."""

import torch
from torch import nn

model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(optimizer):
    loss = nn.CrossEntropyLoss()(model(torch.randn(8, 4)), torch.randint(0, 3, (8,)))
    for _pass in range(2):
        loss.backward()
    optimizer.step()


step(optimizer)
