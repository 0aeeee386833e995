"""Ends with a number of its own, from within a function; what is registered is called before."""
# leaves early

import atexit
import sys
import tempfile

import torch
from torch import nn

torch.manual_seed(24)
atexit.register(print, "registered first, called last")
atexit.register(lambda: print("registered last, called first", file=sys.stderr))
held = tempfile.TemporaryDirectory()


class Closed:
    def __del__(self):
        print("deleted at the end")


last = Closed()
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def train():
    for step in range(10):
        loss = net(torch.ones(2, 3)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss < 1e-3:
            print("good enough at", step)
            sys.exit(3)
    sys.exit(4)


train()
