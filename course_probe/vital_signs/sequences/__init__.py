"""Texts as tokens: axes, masks and labels of sequences."""
