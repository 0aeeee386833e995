"""A layer of the older Keras is called with an input of Keras 3."""

import keras
import tf_keras

tf_keras.layers.Dense(2)(keras.Input((4,)))
