"""Two outputs, and labels for one of them."""

import keras
import numpy as np

inputs = keras.Input((5,))
outputs = [keras.layers.Dense(1)(inputs), keras.layers.Dense(1)(inputs)]
model = keras.Model(inputs, outputs)
model.compile("adam", ["mse", "mae"])
model.fit(np.random.rand(50, 5), np.random.rand(50), epochs=1)
