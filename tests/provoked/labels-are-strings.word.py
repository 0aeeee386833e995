"""A data set makes a tensor of one label, which is a word."""

import torch

torch.tensor("sports", dtype=torch.long)
