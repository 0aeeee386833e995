"""Inside Jupyter: what `%load_ext course` puts beside the learner's own tracebacks.

It runs in the learner's kernel, so it needs nothing that a terminal does, and imports late.
"""
