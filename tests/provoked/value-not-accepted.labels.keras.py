"""Labels beside a dataset that has them."""

import numpy as np
import tensorflow as tf

data = tf.data.Dataset.from_tensor_slices((np.random.rand(64, 4), np.random.rand(64))).batch(8)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(data, np.random.rand(64), epochs=1, verbose=0)
