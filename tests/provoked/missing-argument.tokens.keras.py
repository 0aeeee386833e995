"""A layer that counts categories is not told how many there are."""

import keras

keras.layers.CategoryEncoding(output_mode="multi_hot")
