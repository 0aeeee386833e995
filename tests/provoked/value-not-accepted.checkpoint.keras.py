"""A checkpoint of weights under a name with another ending."""

import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(1)])
model.compile("adam", "mse")
keep = keras.callbacks.ModelCheckpoint("best.h5", save_best_only=True, save_weights_only=True)
model.fit(np.random.rand(64, 3), np.random.rand(64), epochs=1, callbacks=[keep], verbose=0)
