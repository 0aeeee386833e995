"""Pictures without an axis of channels."""

import keras
import numpy as np
from keras import layers

x = np.random.rand(64, 28, 28).astype("float32")
y = np.random.randint(0, 10, 64)
model = keras.Sequential(
    [
        layers.Conv2D(8, 3, activation="relu", input_shape=(28, 28)),
        layers.Flatten(),
        layers.Dense(10, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, y, epochs=1, verbose=0)
