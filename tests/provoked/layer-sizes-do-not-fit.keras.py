"""So many layers that nothing is left of the picture."""

import keras
from keras import layers

model = keras.Sequential(
    [
        keras.Input((28, 28, 1)),
        layers.Conv2D(8, 3),
        layers.MaxPooling2D(),
        layers.Conv2D(8, 3),
        layers.MaxPooling2D(),
        layers.Conv2D(8, 3),
        layers.MaxPooling2D(),
        layers.Conv2D(8, 3),
        layers.Flatten(),
        layers.Dense(10),
    ]
)
