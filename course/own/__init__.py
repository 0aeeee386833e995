"""Scripts that belong to no lesson: the user's own."""
