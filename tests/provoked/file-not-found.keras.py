"""The file of a model that is not there."""

import keras

model = keras.models.load_model("nothing.keras")
