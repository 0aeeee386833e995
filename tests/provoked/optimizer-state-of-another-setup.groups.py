"""Then two groups of parameters, now one."""

import torch
from torch import nn

body, head = nn.Linear(4, 8), nn.Linear(8, 1)
groups = [{"params": body.parameters()}, {"params": head.parameters(), "lr": 1e-2}]
old = torch.optim.Adam(groups, lr=1e-3)
new = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
new.load_state_dict(old.state_dict())
