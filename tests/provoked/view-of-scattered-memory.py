"""Heads are put together after their axes were exchanged."""

import torch

heads = torch.rand(8, 4, 10, 16)
together = heads.transpose(1, 2).view(8, 10, 64)
