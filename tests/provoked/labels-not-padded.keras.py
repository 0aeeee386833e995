"""Tags of lines that differ in length, beside ids that are padded."""

import numpy as np
import tensorflow as tf

tags = [[1, 2], [1, 2, 2], [2], [1, 1, 2, 2]] * 8
model = tf.keras.Sequential([tf.keras.layers.Dense(4)])
model.compile("adam", "mse")
model.fit(np.ones((32, 4)), tags, validation_split=0.25, verbose=0)
