"""Reads its arguments, its own place and what it is called; asks for a line and gets none."""
# arguments: --rate 0.05 --steps 7 rest -- --not-an-option

import argparse
import inspect
import os
import sys
import types
from dataclasses import dataclass


@dataclass
class Settings:
    rate: float = 0.1
    steps: int = 3


count: int = 3
parser = argparse.ArgumentParser(description=__doc__)
for name, kind in inspect.get_annotations(Settings).items():
    parser.add_argument(f"--{name}", type=kind, default=getattr(Settings, name))
parser.add_argument("rest", nargs="*")
given = parser.parse_args()
print(given, parser.prog, sys.argv, os.path.basename(__file__), __name__, __doc__)
print(__annotations__, __spec__, __package__, __cached__, type(__loader__).__name__)
print(isinstance(sys.modules["__main__"], types.ModuleType), inspect.getsource(Settings))
print(inspect.getfile(Settings) == __file__, repr(sys.modules["__main__"])[:20], Settings())
print(sys.modules["__main__"].Settings is Settings, sys.stdin.read(), sys.stdin.isatty())
try:
    input("more? ")
except EOFError as error:
    print(error)
parser.parse_args(["--rate", "0.2"])
try:
    parser.parse_args(["--rates"])
except SystemExit as stop:
    print(stop.code)
