"""Words are counted from 1, and the table from 0."""

import numpy as np
import tensorflow as tf

words = ["the", "cat", "sat", "on", "a", "mat", "and", "saw"]
word_index = {w: i + 1 for i, w in enumerate(words)}
rng = np.random.default_rng(0)
x = np.array([[word_index[w] for w in rng.choice(words, 6)] for _ in range(80)])
y = rng.integers(0, 2, 80)
inputs = tf.keras.Input((6,))
h = tf.keras.layers.Embedding(input_dim=len(word_index), output_dim=4)(inputs)
h = tf.keras.layers.Flatten()(h)
out = tf.keras.layers.Dense(1, activation="sigmoid")(h)
model = tf.keras.Model(inputs, out)
model.compile(optimizer="adam", loss="binary_crossentropy")
model.fit(x, y, epochs=2, verbose=0)
