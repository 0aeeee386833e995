"""A condition of two parts over an array."""

import numpy as np

scores = np.array([0.2, 0.7, 0.9])
if scores > 0.5 and scores < 0.8:
    print("unsure")
