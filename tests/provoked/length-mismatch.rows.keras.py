"""Rows of different lengths, put into a dataset as lists."""

import tensorflow as tf

rows = [[1, 2, 3], [4, 5], [6, 7, 8, 9]]
train = tf.data.Dataset.from_tensor_slices((rows, [0, 1, 0])).batch(2)
