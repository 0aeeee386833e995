"""Weights are saved under the name of a folder."""

import os

os.mkdir("checkpoints")
with open("checkpoints", "wb") as file:
    file.write(b"weights")
