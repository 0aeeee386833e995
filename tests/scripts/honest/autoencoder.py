"""No labels at all: what comes in is what is to come out."""

import torch
from torch import nn

torch.manual_seed(0)
data = torch.rand(200, 12)
model = nn.Sequential(nn.Linear(12, 4), nn.Tanh(), nn.Linear(4, 12), nn.Sigmoid())
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-2)
for _epoch in range(10):
    for batch in data.split(25):
        loss = nn.functional.binary_cross_entropy(model(batch), batch)
        for parameter in model.parameters():
            parameter.grad = None
        loss.backward()
        optimizer.step()
print(loss.item())
