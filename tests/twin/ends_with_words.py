"""Ends with words in place of a number, which Python prints."""
# leaves early

import sys

print(0.5)
sys.exit("there is nothing left to train on")
