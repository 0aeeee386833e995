"""Errors read in any text: a pasted traceback, a log of several processes, a message alone.

`text` makes plain lines of it, `read` finds the exceptions, `frame` tells whose a line is. Nothing
is run, no library is needed, and no text, however mangled, raises anything.
"""
