"""The commands of a learner: run, start, watch, hint, fix, reset, list."""
