"""What moves weights: optimizers, gradients, the parameters themselves."""
