"""An error is caught on purpose, and a smaller batch is tried."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for size in (5, 4):
    try:
        loss = model(torch.randn(8, size)).square().mean()
    except RuntimeError as error:
        print("not", size, str(error)[:30])
        continue
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("done", loss.item())
