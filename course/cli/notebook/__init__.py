"""`course notebook`: an exercise as a notebook, and a notebook in step with a script."""
