"""An optimizer that was used for another model."""

import keras
import numpy as np

optimizer = keras.optimizers.Adam()
x, y = np.ones((8, 3)), np.ones(8)
for _each in range(2):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(optimizer=optimizer, loss="mse")
    model.fit(x, y, verbose=0)
