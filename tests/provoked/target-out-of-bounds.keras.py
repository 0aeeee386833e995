"""Labels are counted from 1."""

import keras
import numpy as np
from keras import layers

x = np.random.rand(64, 8).astype("float32")
y = np.random.randint(1, 4, 64)
model = keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(3)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x, y, epochs=1, verbose=0)
