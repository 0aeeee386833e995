"""A model that was never called is taken apart."""

import keras

base = keras.Sequential([keras.layers.Dense(4), keras.layers.Dense(1)])
sub = keras.Model(base.input, base.layers[0].output)
