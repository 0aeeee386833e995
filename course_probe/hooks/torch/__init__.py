"""Hooks into PyTorch and what trains with it: Trainer, loops by hand, loaders, networks."""
