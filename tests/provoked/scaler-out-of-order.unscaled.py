"""The loss goes backward without the scaler."""

import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
model(torch.rand(8, 4)).mean().backward()
scaler.step(optimizer)
scaler.update()
