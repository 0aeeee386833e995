"""The loss of the evaluation, a sum of means, is divided by the number of rows."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
points = torch.randn(900, 8)
kinds = (points[:, :4].sum(1) > 0).long() + (points[:, 4] > 1).long()
train_loader = DataLoader(TensorDataset(points[:600], kinds[:600]), batch_size=20, shuffle=True)
test_loader = DataLoader(TensorDataset(points[600:], kinds[600:]), batch_size=60)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)


def test():
    net.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for data, target in test_loader:
            output = net(data)
            loss += nn.functional.cross_entropy(output, target).item()
            correct += output.argmax(1).eq(target).sum().item()
    loss /= len(test_loader.dataset)
    print(f"loss {loss:.4f}, accuracy {100.0 * correct / len(test_loader.dataset):.1f}%")


for _epoch in range(4):
    net.train()
    for data, target in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(data), target).backward()
        optimizer.step()
    test()
