"""A figure of numpy among the weights."""

import tempfile

import numpy as np
import torch

with tempfile.NamedTemporaryFile() as file:
    torch.save({"best": np.float64(0.9)}, file.name)
    torch.load(file.name)
