"""The accelerator divides the loss, and the script has done so before."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
points = torch.randn(640, 10)
kinds = (points[:, 0] > 0).long()
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
loader = DataLoader(TensorDataset(points, kinds), 16, shuffle=True)
net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
for _ in range(8):
    for rows, truth in loader:
        with accelerator.accumulate(net):
            loss = nn.functional.cross_entropy(net(rows), truth)
            accelerator.backward(loss / 4)
            optimizer.step()
            optimizer.zero_grad()
print("loss", loss.item())
