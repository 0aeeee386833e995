"""Rows of different lengths are put into one batch."""

import numpy as np
import tensorflow as tf


def rows():
    for length in (2, 3, 4):
        yield np.arange(length)


spec = tf.TensorSpec((None,), tf.int64)
print(list(tf.data.Dataset.from_generator(rows, output_signature=spec).batch(3)))
