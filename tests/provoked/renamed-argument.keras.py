"""The learning rate under its old name."""

import keras
import numpy as np
from keras.optimizers import Adam

model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile(optimizer=Adam(lr=0.01), loss="mse")
model.fit(np.random.rand(64, 3), np.random.rand(64), epochs=1)
