"""The fault catalogue: how each fault shows itself, and what to tell the learner about it."""
