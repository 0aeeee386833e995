"""Is interrupted, and does nothing about it: Python's own words, and the signal as its end."""
# leaves early

import os
import signal
import time

print("waiting")
os.kill(os.getpid(), signal.SIGINT)
time.sleep(5)
