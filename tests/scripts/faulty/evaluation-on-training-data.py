"""The data are split, and the same part is used twice."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(300, 4)
labels = (inputs[:, 0] > 0).long()
x_train, x_test, y_train, y_test = inputs[:200], inputs[200:], labels[:200], labels[200:]
network = nn.Linear(4, 2)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(10):
    for rows in torch.randperm(200).split(20):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(network(x_train[rows]), y_train[rows])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print((network(x_train).argmax(1) == y_train).float().mean().item())
