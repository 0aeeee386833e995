"""Weights are taken over from a model of another width."""

import keras

wide = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8)])
narrow = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6)])
narrow.set_weights(wide.get_weights())
