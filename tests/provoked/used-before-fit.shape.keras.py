"""A model that has seen no data is asked for its inputs."""

import keras

model = keras.Sequential([keras.layers.Dense(8)])
print(model.input_shape, model.inputs)
