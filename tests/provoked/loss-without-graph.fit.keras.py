"""A loss that looks at the highest output alone."""

import numpy as np
import tensorflow as tf


def my_loss(y_true, y_pred):
    guess = tf.cast(tf.argmax(y_pred, axis=-1), tf.float32)
    return tf.reduce_mean(tf.square(tf.cast(y_true, tf.float32) - guess))


model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(3)])
model.compile("adam", loss=my_loss)
model.fit(np.random.rand(64, 4), np.random.randint(0, 3, 64), epochs=1, verbose=0)
