"""Three classes, and a model that has outputs for two."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 2)
labels = torch.arange(9) % 3
loss = torch.nn.functional.cross_entropy(model(torch.randn(9, 4)), labels)
