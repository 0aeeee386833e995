"""numpy has no such number type."""

import torch

torch.ones(3, dtype=torch.bfloat16).numpy()
