"""A width that is no whole number."""

import keras

width = 64 / 2
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(width), keras.layers.Dense(1)])
