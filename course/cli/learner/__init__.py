"""The commands of a learner: run, start, hint, fix, reset, list."""
