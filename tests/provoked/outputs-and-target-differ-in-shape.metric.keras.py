"""A metric for one output, and the model has two."""

import keras
import numpy as np

model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=[keras.metrics.Precision()])
model.fit(np.random.rand(64, 3), np.random.randint(0, 2, 64), epochs=1, verbose=0)
