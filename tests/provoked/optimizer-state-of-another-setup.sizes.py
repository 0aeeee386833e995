"""As many parameters, in other sizes: the step meets means that don't fit."""

import torch
from torch import nn

small, large = nn.Linear(4, 2), nn.Linear(4, 5)
old = torch.optim.Adam(small.parameters())
small(torch.randn(3, 4)).sum().backward()
old.step()
new = torch.optim.Adam(large.parameters())
new.load_state_dict(old.state_dict())
large(torch.randn(3, 4)).sum().backward()
new.step()
