"""A whole model was saved; only weights are read by default."""

import tempfile

import torch
from torch import nn

with tempfile.NamedTemporaryFile() as file:
    torch.save(nn.Linear(4, 2), file.name)
    torch.load(file.name)
