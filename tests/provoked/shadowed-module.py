"""A file beside the script bears the name of a library."""

import sys
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())
(folder / "datasets.py").write_text("rows = [1, 2, 3]\n")
sys.path.insert(0, str(folder))
sys.modules.pop("datasets", None)

from datasets import load_dataset
