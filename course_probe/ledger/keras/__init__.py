"""Trainings with Keras, of either version, by `fit` or by hand: heard, asked and written."""
