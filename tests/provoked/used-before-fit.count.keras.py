"""A model that does not know its inputs yet."""

import keras

model = keras.Sequential([keras.layers.Dense(4), keras.layers.Dense(1)])
print(model.count_params())
