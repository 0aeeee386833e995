"""Several numbers are asked for as one."""

import torch

torch.ones(3).item()
