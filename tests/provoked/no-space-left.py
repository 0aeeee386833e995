"""A disk that is full."""

import numpy as np

with open("/dev/full", "wb") as disk:
    disk.write(np.ones(100_000).tobytes())
