"""A model is drawn, and nothing that draws is installed."""

import keras

keras.utils.plot_model(keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)]))
