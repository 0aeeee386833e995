"""Two names share one memory."""

import tempfile
from pathlib import Path

from safetensors.torch import save_file
from torch import nn

table, head = nn.Embedding(9, 4), nn.Linear(4, 9, bias=False)
head.weight = table.weight
folder = Path(tempfile.mkdtemp())
save_file({"table": table.weight, "head": head.weight}, folder / "model.safetensors")
