"""A model whose `__init__` does not call that of its parent."""

import keras


class Net(keras.Model):
    def __init__(self):
        self.dense = keras.layers.Dense(4)

    def call(self, x):
        return self.dense(x)


Net()(keras.ops.ones((2, 3)))
