"""An operation of torch gets a number of Python."""

import torch

torch.exp(0.5)
