"""The same with numpy."""

import numpy as np

kernel = np.ones((1_000_000, 1_000_000))
