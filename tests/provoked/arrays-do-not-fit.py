"""Answers and labels of different splits."""

import numpy as np

labels, answers = np.zeros(68), np.zeros(272)
print(((labels - answers) ** 2).mean())
