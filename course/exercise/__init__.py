"""The learner's own working copy of an exercise: made, run, patched, and what is known of it."""
