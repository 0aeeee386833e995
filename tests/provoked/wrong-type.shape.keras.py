"""A number stands where a shape is wanted."""

import keras

keras.Sequential([keras.layers.Dense(8, input_shape=4)])
