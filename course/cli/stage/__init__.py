"""Commands that show a script while it can be looked into: walk, watch, look."""
