"""`fit` gets no labels."""

import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.random.rand(64, 3), epochs=1, verbose=0)
