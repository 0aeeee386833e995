"""Rows of numbers that differ in length."""

import numpy as np

rows = [np.zeros(8), np.zeros(9), np.zeros(8)]
print(np.stack(rows).shape)
