"""Two trainings at once, each in a thread with generators of its own; one that waits for both."""

import threading

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(19)
rows = torch.randn(64, 4)
labels = (rows[:, 0] > 0).long()
nets = [nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2)) for _ in range(2)]
last, names = [0.0, 0.0], []


def train(number):
    order = torch.Generator().manual_seed(number)
    data = TensorDataset(rows, labels)
    loader = DataLoader(data, batch_size=8, shuffle=True, generator=order)
    optimizer = torch.optim.Adam(nets[number].parameters(), lr=1e-2)
    for _ in range(3):
        for some, wanted in loader:
            loss = nn.functional.cross_entropy(nets[number](some), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    last[number] = loss.item()


threads = [threading.Thread(target=train, args=[number]) for number in range(2)]
for thread in threads:
    names.append(thread.name)
    thread.start()
for thread in threads:
    thread.join()
print(names, last, threading.active_count())


def fail():
    raise LookupError("on purpose, in a thread")


thread = threading.Thread(target=fail, name="failing")
thread.start()
thread.join()
