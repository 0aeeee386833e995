"""An `if` in a model that is put together."""

import keras
import numpy as np

inputs = keras.Input((4,))
x = keras.layers.Dense(4)(inputs)
if x[0, 0] > 0:
    x = keras.layers.Dense(2)(x)
