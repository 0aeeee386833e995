"""A script beside the learner's bears the name of a data set."""

import os
import tempfile
from pathlib import Path

from datasets import load_dataset

os.chdir(tempfile.mkdtemp())
Path("imdb").mkdir()
Path("imdb", "imdb.py").write_text("print('my own notes')\n")
load_dataset("imdb")
