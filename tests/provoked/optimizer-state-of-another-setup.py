"""The optimizer is to go on with the state of a model that had more layers."""

import torch
from torch import nn

old = torch.optim.Adam(nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 1)).parameters())
new = torch.optim.Adam(nn.Sequential(nn.Linear(4, 8)).parameters())
new.load_state_dict(old.state_dict())
