"""A model with `forward` in place of `call`."""

import keras
import numpy as np


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.d = keras.layers.Dense(1)

    def forward(self, x):
        return self.d(x)


net = Net()
net.compile("adam", "mse")
net.fit(np.random.rand(64, 3), np.random.rand(64), epochs=1)
