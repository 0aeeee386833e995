"""`compile` gets no loss."""

import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile(optimizer="adam")
model.fit(np.random.rand(64, 3), np.random.rand(64), epochs=1)
