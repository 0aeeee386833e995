"""`course notebook`: an exercise as a notebook, and either form of a file from the other."""
