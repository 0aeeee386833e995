"""A layer for words that has seen none."""

import tensorflow as tf

v = tf.keras.layers.TextVectorization(max_tokens=50)
print(v(["a cat", "a dog"]))
