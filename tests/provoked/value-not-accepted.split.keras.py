"""A split of a dataset."""

import numpy as np
import tensorflow as tf

data = tf.data.Dataset.from_tensor_slices((np.random.rand(64, 4), np.random.rand(64))).batch(8)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(data, epochs=1, validation_split=0.2, verbose=0)
