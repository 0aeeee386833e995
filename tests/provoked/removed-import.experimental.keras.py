"""A layer that has moved."""

import tensorflow as tf

rescale = tf.keras.layers.experimental.preprocessing.Rescaling(1.0 / 255)
