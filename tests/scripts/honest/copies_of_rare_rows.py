"""Rare rows are copied after the split, among the rows of the training."""

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from torch import nn

random = np.random.default_rng(0)
points = random.standard_normal((500, 12)).astype("float32")
rare = random.random(500) < 0.1
inputs, held_out, labels, truth = train_test_split(
    points, rare.astype("int64"), test_size=0.25, random_state=0
)
copies = random.choice(np.flatnonzero(labels), 300)
chosen = np.concatenate([np.arange(len(labels)), copies])
inputs, labels, held_out, truth = map(
    torch.tensor, (inputs[chosen], labels[chosen], held_out, truth)
)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(10):
    for rows in torch.randperm(len(inputs)).split(30):
        loss = nn.functional.cross_entropy(net(inputs[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, (net(held_out).argmax(1) == truth).float().mean().item())
