"""Weights of layers of another width."""

import keras

model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(1)])
model.save_weights("a.weights.h5")
other = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8), keras.layers.Dense(1)])
other.load_weights("a.weights.h5")
