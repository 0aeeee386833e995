"""A metric gets a tensor with a gradient."""

import torch
from sklearn.metrics import accuracy_score

accuracy_score(torch.ones(3), torch.ones(3, requires_grad=True))
