"""An array of numpy is asked for what a tensor has."""

import numpy as np

np.ones(3).unsqueeze(0)
