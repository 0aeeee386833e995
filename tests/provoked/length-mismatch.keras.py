"""Rows of different lengths in one array."""

import keras
import numpy as np

rows = [np.random.rand(np.random.randint(3, 8)) for _ in range(64)]
x = np.array(rows, dtype=object)
y = np.random.randint(0, 2, 64)
model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(x, y, epochs=1, verbose=0)
