"""A compiled module of which nothing but the name was copied."""

import sys
from pathlib import Path

Path("fast_rows.so").touch()
sys.path.insert(0, ".")
import fast_rows
