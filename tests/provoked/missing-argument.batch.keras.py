"""A layer keeps its state, and the size of the batches is not told."""

import keras

model = keras.Sequential([keras.Input((10, 2))])
model.add(keras.layers.LSTM(8, stateful=True))
