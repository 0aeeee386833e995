"""A folder has weights and nothing else."""

import tempfile
from pathlib import Path

from safetensors.torch import save_file
from torch import nn
from transformers import AutoTokenizer

folder = Path(tempfile.mkdtemp())
save_file(nn.Linear(4, 2).state_dict(), folder / "model.safetensors")
AutoTokenizer.from_pretrained(folder)
