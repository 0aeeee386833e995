"""A layer of the older Keras among those of Keras 3."""

import keras
import tf_keras

model = keras.Sequential([keras.Input((4,)), tf_keras.layers.Dense(2)])
