"""The labels are words."""

import keras
import numpy as np

x = np.random.rand(64, 8).astype("float32")
y = np.array(["cat", "dog"] * 32)
model = keras.Sequential([keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(x, y, epochs=1, verbose=0)
