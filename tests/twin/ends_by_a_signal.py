"""Handles two signals, one of them an alarm, and dies of a third."""
# leaves early

import os
import signal
import time

heard = []
signal.signal(signal.SIGTERM, lambda number, frame: heard.append(signal.Signals(number).name))
signal.signal(signal.SIGALRM, lambda number, frame: heard.append(frame.f_code.co_name))
print(signal.getsignal(signal.SIGINT).__name__, signal.getsignal(signal.SIGUSR1))
os.kill(os.getpid(), signal.SIGTERM)
signal.setitimer(signal.ITIMER_REAL, 0.05)
while len(heard) < 2:
    time.sleep(0.01)
print(heard)
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)
except KeyboardInterrupt:
    print("interrupted")
signal.signal(signal.SIGTERM, signal.SIG_DFL)
print("now", flush=True)
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(5)
