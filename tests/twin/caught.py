"""Errors within the first passes and losses, caught and told: no level more than are there."""

import traceback

import torch
from torch import nn
from torch.nn.functional import cross_entropy

COUNTS = {"caught": 0}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, rows, places=None):
        found = torch.softmax(self.layer(rows), -1)
        return found if places is None else found.gather(1, places)


def tried(call, *arguments):
    try:
        return call(*arguments)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        COUNTS["caught"] += 1
        traceback.print_exc()
        levels = [each.name for each in traceback.extract_tb(error.__traceback__)]
        print(type(error).__name__, levels[-3:])


torch.manual_seed(29)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
rows, labels = torch.rand(8, 3), torch.tensor([0, 1] * 4)
for step in range(4):
    outputs = net(rows)
    tried(torch.argmax, outputs, 7)
    tried(cross_entropy, outputs, labels + step)
    tried(net, rows, labels.reshape(-1, 1) + 1)
    tried(outputs.view, 5)
    tried(nn.CrossEntropyLoss(), outputs[:3], labels)
    loss = cross_entropy(outputs, labels)
    optimizer.zero_grad()
    loss.backward()
    tried(loss.backward)
    optimizer.step()
net.eval()
with torch.no_grad():
    for _batch in range(2):
        tried(torch.max, net(rows), 5)
        tried(net, rows[:, :2])
        print((net(rows).argmax(1) == labels).sum().item())
