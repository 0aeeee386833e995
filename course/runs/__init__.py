"""The only floor that starts a process: runtimes, the embedded hub, the run and its record."""
