"""Numbers of numpy have double precision, weights have not."""

import numpy as np
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
model(torch.from_numpy(np.random.rand(3, 4)))
