"""Each row is compared with every other: a million times a million."""

import torch

rows = torch.rand(1_000_000)
distances = (rows[:, None] - rows[None, :]).abs()
