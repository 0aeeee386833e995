"""Texts as tokens, and the padding of sequences."""
