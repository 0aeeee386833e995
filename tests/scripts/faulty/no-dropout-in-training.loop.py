"""A network is set up to be evaluated after the first pass over the data, and left so."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(300, 4)
labels = (inputs[:, 0] > 0).long()
network = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Dropout(0.4), nn.Linear(32, 2))
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
network.train()
for _epoch in range(10):
    for rows in torch.randperm(200).split(20):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(inputs[rows]), labels[rows]).backward()
        optimizer.step()
    network.eval()
    with torch.no_grad():
        print((network(inputs[200:]).argmax(1) == labels[200:]).float().mean().item())
