"""A model whose output comes from another input."""

import keras

a = keras.Input((4,))
b = keras.Input((4,))
h = keras.layers.Dense(1)(a)
model = keras.Model(b, h)
