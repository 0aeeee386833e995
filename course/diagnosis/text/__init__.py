"""What the text of a training script tells by itself: nothing is run, and no library imported."""
