"""A model with a `Lambda` layer is loaded from a file."""

import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Lambda(lambda x: x * 2)])
model.save("scaled.keras")
keras.models.load_model("scaled.keras")
