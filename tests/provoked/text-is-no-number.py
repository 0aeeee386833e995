"""A column of words among the features."""

import numpy as np
from sklearn.linear_model import LogisticRegression

rows = np.array([["31", "Male"], ["25", "Female"]], dtype=object)
LogisticRegression().fit(rows, [0, 1])
