"""A model of two inputs gets one."""

import keras
import numpy as np

a, b = keras.Input((4,)), keras.Input((3,))
h = keras.layers.Concatenate()([a, b])
out = keras.layers.Dense(1)(h)
model = keras.Model([a, b], out)
model.compile("adam", "mse")
model.fit(np.random.rand(64, 4), np.random.rand(64), epochs=1, verbose=0)
