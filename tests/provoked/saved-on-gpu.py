"""Weights that note a GPU as their place are loaded where there is none."""

import torch

torch.serialization.location_tag = lambda _storage: "cuda:0"
torch.save(torch.nn.Linear(4, 2).state_dict(), "model.pt")
torch.load("model.pt")
