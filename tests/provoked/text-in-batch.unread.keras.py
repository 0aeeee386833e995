"""Texts as they are, for a model that begins with a table of ids."""

import keras
import tensorflow as tf

texts = tf.data.Dataset.from_tensor_slices((["a fine film", "a bore"] * 8, [1, 0] * 8))
model = keras.Sequential([keras.layers.Embedding(50, 8), keras.layers.LSTM(4)])
model.compile("adam", "mse")
model.fit(texts.batch(4), epochs=1)
