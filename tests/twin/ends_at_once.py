"""Ends by `os._exit`: nothing that is registered is called, what is not flushed is lost."""
# leaves early

import atexit
import os

atexit.register(print, "never said")
written = open("lost.txt", "w")
written.write("never there")
print("so far", flush=True)
os._exit(5)
