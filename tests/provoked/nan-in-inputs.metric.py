"""Predictions that are none."""

import numpy as np
from sklearn.metrics import mean_squared_error

mean_squared_error(np.ones(4), np.full(4, np.nan))
