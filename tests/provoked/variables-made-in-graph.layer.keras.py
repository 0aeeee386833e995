"""A compiled function makes a layer each time that it is read."""

import tensorflow as tf


@tf.function
def forward(x):
    return tf.reduce_sum(tf.keras.layers.Dense(8)(x))


forward(tf.ones((2, 3)))
forward(tf.ones((2, 3)))
