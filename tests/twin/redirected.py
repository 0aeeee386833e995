"""Streams of its own in place of Python's, and back; what is written past all of them."""

import contextlib
import io
import os
import sys
import traceback


class Twice:
    def __init__(self, *streams):
        self.streams = streams

    def write(self, text):
        for each in self.streams:
            each.write(text)
        return len(text)

    def flush(self):
        for each in self.streams:
            each.flush()


kept = io.StringIO()
sys.stdout = Twice(sys.stdout, kept)
print("said twice")
sys.stdout = sys.__stdout__
print("by Python's own", file=sys.stdout)
print(kept.getvalue())
with contextlib.redirect_stdout(io.StringIO()) as held, contextlib.redirect_stderr(sys.stdout):
    print("not seen")
    print("seen", file=sys.stderr)
print(repr(held.getvalue()))
os.write(1, b"past Python\n")
sys.stdout.buffer.write(b"as bytes\n")
sys.stdout.buffer.flush()
print("without an end", end="")
print("\rover it", end="\n")
print("\u00e9 \u4f60", file=sys.stderr)


def deep(levels):
    if levels:
        return deep(levels - 1)
    traceback.print_stack(file=sys.stdout)
    return [each.name for each in traceback.extract_stack()]


print(deep(2), [each.name for each in traceback.extract_stack(limit=1)])
try:
    sys.stdout.write(3)
except TypeError as error:
    print(error)
print(type(sys.stdin).__name__, sys.stdout.isatty(), sys.stdout.fileno(), sys.stderr.errors)
sys.stdout = open("kept.txt", "w")
print("in a file")
sys.stdout.close()
sys.stdout = sys.__stdout__
print("at last")
