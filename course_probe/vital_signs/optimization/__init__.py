"""What moves weights: optimizers and their groups, gradients, the parameters themselves."""
