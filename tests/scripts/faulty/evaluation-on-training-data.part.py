"""The part for the test begins where that for the validation ends, but counted from the front."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
inputs = torch.randn(300, 4)
labels = (inputs[:, 0] > 0).long()
train_loader = DataLoader(TensorDataset(inputs[:200].clone(), labels[:200]), 20, shuffle=True)
val_loader = DataLoader(TensorDataset(inputs[200:240].clone(), labels[200:240]), 40)
test_loader = DataLoader(TensorDataset(inputs[40:].clone(), labels[40:]), 65)
network = nn.Linear(4, 2)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)


def score(loader: DataLoader) -> float:
    right = rows = 0
    with torch.no_grad():
        for batch, answers in loader:
            right += (network(batch).argmax(1) == answers).sum().item()
            rows += len(batch)
    return right / rows


for _epoch in range(20):
    for batch, answers in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(batch), answers).backward()
        optimizer.step()
    print(score(val_loader))
print("test", score(test_loader))
