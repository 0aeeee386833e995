"""Questions put to the parts of a submission's training, in its own process."""
