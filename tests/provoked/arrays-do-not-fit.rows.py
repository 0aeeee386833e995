"""Features of all rows, labels of the training's."""

import numpy as np
from sklearn.linear_model import LogisticRegression

LogisticRegression().fit(np.ones((100, 3)), np.arange(80) % 2)
