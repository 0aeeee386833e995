"""The name of an input is spelt wrong."""

import keras
import numpy as np

a, b = keras.Input((4,), name="left"), keras.Input((3,), name="right")
h = keras.layers.Concatenate()([a, b])
out = keras.layers.Dense(1)(h)
model = keras.Model({"left": a, "right": b}, out)
model.compile("adam", "mse")
model.fit(
    {"left": np.random.rand(64, 4), "rigth": np.random.rand(64, 3)},
    np.random.rand(64),
    epochs=1,
    verbose=0,
)
