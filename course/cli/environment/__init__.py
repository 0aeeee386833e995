"""The commands about interpreters: `course runtime` and `course env`."""
