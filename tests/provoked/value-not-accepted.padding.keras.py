"""A padding that there is not."""

import keras

keras.layers.Conv2D(4, 3, padding="zeros")
