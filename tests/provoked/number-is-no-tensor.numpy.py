"""An array of numpy reaches a layer."""

import numpy as np
from torch import nn

nn.Linear(2, 1)(np.ones((3, 2), dtype="float32"))
