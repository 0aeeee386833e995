"""Ids of lines that differ in length, as lists."""

import numpy as np
import tensorflow as tf

ids = [[1, 2], [1, 2, 2], [2], [1, 1, 2, 2]] * 8
model = tf.keras.Sequential([tf.keras.layers.Embedding(4, 2), tf.keras.layers.LSTM(2)])
model.compile("adam", "mse")
model.fit(ids, np.ones((32, 2)), verbose=0)
