"""A folder is made that is there already."""

import os

os.mkdir("checkpoints")
os.mkdir("checkpoints")
