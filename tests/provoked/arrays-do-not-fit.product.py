"""Weights that were not transposed."""

import numpy as np

print(np.dot(np.ones((75, 4)), np.ones((1, 4))))
