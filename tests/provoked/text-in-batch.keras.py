"""The inputs are texts, and no layer makes numbers of them."""

import numpy as np
import tensorflow as tf

texts = np.array(["a cat", "a dog"] * 32)
labels = np.array([0, 1] * 32)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Embedding(100, 8),
        tf.keras.layers.GlobalAveragePooling1D(),
        tf.keras.layers.Dense(1),
    ]
)
model.compile("adam", "mse")
model.fit(texts, labels, epochs=1, verbose=0)
