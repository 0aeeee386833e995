"""Two outputs of different widths are added."""

import keras
from keras import layers

inputs = keras.Input((16,))
h = layers.Dense(32, activation="relu")(inputs)
h = layers.Add()([h, inputs])
