"""A model whose layers stand in a plain list has no parameters."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4), nn.Linear(4, 1)]


torch.optim.Adam(Net().parameters(), lr=0.01)
