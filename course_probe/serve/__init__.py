"""How a run is served: the script, processes kept warm for it, the worker in a sandbox."""
