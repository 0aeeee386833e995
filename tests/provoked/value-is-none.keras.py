"""A model whose `call` returns nothing."""

import keras
import numpy as np


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.d = keras.layers.Dense(1)

    def call(self, x):
        self.d(x)


net = Net()
net.compile("adam", "mse")
net.fit(np.random.rand(64, 3), np.random.rand(64), epochs=1)
