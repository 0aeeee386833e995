"""A layer for each step of a sequence, behind one that gives no sequence."""

import keras

model = keras.Sequential([keras.Input((10, 4)), keras.layers.LSTM(8)])
model.add(keras.layers.TimeDistributed(keras.layers.Dense(2)))
