"""A series of numbers without an axis for its one feature."""

import keras
import numpy as np
from keras import layers

series = np.sin(np.arange(300) / 10).astype("float32")
x = np.stack([series[i : i + 20] for i in range(200)])
y = series[20:220]
model = keras.Sequential([layers.LSTM(8), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, y, epochs=1, verbose=0)
