"""An attribute of a model has a name that Keras uses itself."""

import keras


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.layers = [keras.layers.Dense(2)]


Net()
