"""A loss whose name is spelt wrong."""

import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(3, activation="softmax")])
model.compile("adam", loss="sparse_categorical_crossentrop")
model.fit(np.random.rand(64, 3), np.random.randint(0, 3, 64), epochs=1, verbose=0)
