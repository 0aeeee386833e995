"""Bins are both counted and given."""

import keras

keras.layers.Discretization(bin_boundaries=[0.0, 1.0], num_bins=3)
