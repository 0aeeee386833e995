"""A function of TensorFlow in a model that is put together."""

import tensorflow as tf
from tensorflow import keras

inputs = keras.Input((8,))
x = tf.reduce_mean(inputs, axis=-1)
model = keras.Model(inputs, x)
