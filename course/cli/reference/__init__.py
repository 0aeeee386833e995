"""Commands that there is something to read with: a fault, the memory of a step, asides."""
