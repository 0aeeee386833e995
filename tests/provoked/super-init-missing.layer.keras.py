"""A layer whose `__init__` does not call that of its parent."""

import keras


class Scale(keras.layers.Layer):
    def __init__(self, units):
        self.units = units

    def build(self, shape):
        self.weight = self.add_weight(shape=(shape[-1], self.units))

    def call(self, x):
        return x @ self.weight


Scale(4)(keras.ops.ones((2, 3)))
