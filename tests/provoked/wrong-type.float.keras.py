"""A batch size that is no whole number."""

import keras
import numpy as np

x, y = np.random.rand(64, 3), np.random.rand(64)
model = keras.Sequential([keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, y, epochs=1, batch_size=len(x) / 4, verbose=0)
