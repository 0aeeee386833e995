"""A model is asked for a layer that it does not have."""

import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, name="hidden")])
model.get_layer("output")
