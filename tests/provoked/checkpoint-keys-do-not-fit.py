"""Weights that were saved from a wrapped model."""

from torch import nn

model = nn.Linear(4, 2)
saved = {f"module.{name}": weight for name, weight in model.state_dict().items()}
model.load_state_dict(saved)
