"""One row alone is of a class, and both parts are to have a share of it."""

import numpy as np
from sklearn.model_selection import train_test_split

train_test_split(np.arange(12).reshape(6, 2), stratify=[0, 0, 0, 0, 0, 1])
