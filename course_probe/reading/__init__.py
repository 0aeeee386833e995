"""What the text of a script, and the names of its values, tell."""
