"""A checkpoint that a training cut short."""

import torch

torch.save({"weight": torch.ones(2000)}, "model.pt")
with open("model.pt", "r+b") as file:
    file.truncate(3000)
torch.load("model.pt")
