"""What happened in a training, by a few taps: passes, losses, steps, rows."""
