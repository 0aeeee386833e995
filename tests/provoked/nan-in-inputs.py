"""A gap in a table."""

import numpy as np
from sklearn.linear_model import LogisticRegression

LogisticRegression().fit(np.array([[1.0, np.nan], [2.0, 3.0]]), [0, 1])
