"""Labels stand first in the call of a loss, and outputs second."""

import torch

torch.nn.CrossEntropyLoss()(torch.tensor([0, 2, 1, 0]), torch.rand(4, 3))
