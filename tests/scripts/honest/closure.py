"""LBFGS, which calls its closure as often as it likes."""

import torch

torch.manual_seed(0)
x = torch.randn(100, 3)
y = (x[:, :1] > 0).float()
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=1, max_iter=10)


def closure():
    optimizer.zero_grad()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), y)
    loss.backward()
    return loss


for _step in range(4):
    print(optimizer.step(closure).item())
