"""An array of words is made a tensor."""

import numpy as np
import torch

labels = torch.from_numpy(np.array(["cat", "dog", "cat"]))
