"""A model without a layer is built."""

import keras

keras.Sequential().build((None, 4))
