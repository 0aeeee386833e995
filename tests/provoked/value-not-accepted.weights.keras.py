"""Weights under a name with another ending."""

import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.random.rand(64, 3), np.random.rand(64), epochs=1, verbose=0)
model.save_weights("weights.h5")
