"""Notebooks made of the one script of an exercise, and the way from either form to the other."""
