"""Weights that were never saved."""

import torch

torch.load("checkpoints/best.pt")
