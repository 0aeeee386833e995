"""A shape for more numbers than there are."""

import keras
from keras import layers

model = keras.Sequential(
    [
        keras.Input((100,)),
        layers.Dense(49 * 8),
        layers.Reshape((7, 7, 16)),
        layers.Conv2DTranspose(1, 3),
    ]
)
