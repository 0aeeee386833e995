"""Two series of different lengths are joined."""

import keras
from keras import layers

a = keras.Input((10, 8))
b = keras.Input((12, 8))
joined = layers.Concatenate(axis=-1)([a, b])
