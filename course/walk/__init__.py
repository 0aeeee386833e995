"""Walking through a lesson: from its first step to the healthy run."""
