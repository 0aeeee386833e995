"""Hooks into Keras, of either version: trainings by `fit` or by hand, and what they come to."""
