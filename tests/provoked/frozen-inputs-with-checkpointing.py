"""The embeddings are frozen, and the checkpointed block after them gets no gradient."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

table, block = nn.Embedding(9, 4).requires_grad_(False), nn.Linear(4, 4)
hidden = table(torch.randint(0, 9, (2, 5)))
checkpoint(block, hidden, use_reentrant=True).pow(2).mean().backward()
