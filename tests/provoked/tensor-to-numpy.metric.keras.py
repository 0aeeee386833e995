"""A metric that is written with NumPy."""

import keras
import numpy as np


def accuracy(y_true, y_pred):
    return np.mean(np.round(y_pred) == y_true)


model = keras.Sequential([keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=[accuracy])
model.fit(np.random.rand(64, 3), np.random.randint(0, 2, 64), epochs=1, verbose=0)
