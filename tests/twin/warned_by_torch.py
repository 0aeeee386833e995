"""What PyTorch warns of, shown, caught, raised: where it is said to come from counts, too."""

import warnings

import torch
from torch import nn

torch.manual_seed(27)
net = nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
for _ in range(3):
    loss = nn.functional.mse_loss(net(torch.ones(2, 3)), torch.ones(2, 1))
    optimizer.zero_grad()
    loss.backward()
    schedule.step()
    optimizer.step()
loss.grad
torch.tensor(torch.ones(2))
nn.Softmax()(torch.ones(2, 2))
net(torch.ones(1, 3)).sum().backward(create_graph=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    schedule.step(3)
    nn.functional.mse_loss(torch.ones(2), torch.ones(2, 1))
print([(str(each.message)[:40], each.filename == __file__, each.lineno) for each in caught])
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        nn.functional.mse_loss(torch.ones(2), torch.ones(2, 1))
    except UserWarning as error:
        print("raised", type(error).__name__)
