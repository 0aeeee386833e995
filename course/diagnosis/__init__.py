"""Anybody's training script: run as it is, or examined part by part; `text/` is what is read."""
